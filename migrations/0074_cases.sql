-- Events that are kept with checks: what the agent must do with them, whatever else changes.

create table cases (
  id         text primary key,
  source_id  text not null,
  event_id   text not null unique,
  name       text not null,
  checks     json not null,
  created_by json not null,
  created_at timestamptz not null default now(),
  -- Its event was erased, and with it what the case knew of it. Nothing can be checked any more.
  erased_at  timestamptz
);
comment on table cases is 'An event with checks on what the agent does with it. The event and its runs are kept as long as the case. Written by rehearsals.';
create index cases_of_source on cases (source_id, id);

-- The checks of a case as they were when the rehearsal began and, once it was compared, whether each passed.
alter table rehearsed_events add column checks json;
create index rehearsed_events_of_case on rehearsed_events (event_id) where checks is not null;
