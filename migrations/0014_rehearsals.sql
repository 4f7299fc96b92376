-- Changes are proved on the past: real events run again, dry, with settings that are not saved yet.

create table rehearsals (
  id          text primary key,
  source_id   text not null,
  -- As it was: the webhook or schedule may be renamed or deleted.
  source_name text not null,
  -- Only what differs from the saved settings.
  change      json not null,
  reads       text not null check (reads in ('recorded', 'live')),
  -- A drill: what the agent tries when somebody hides an order in an event.
  is_drill    boolean not null default false,
  -- In the currency of the price table.
  budget      double precision not null,
  status      text not null check (status in ('queued', 'running', 'done', 'cancelled', 'failed')),
  -- Why it ended before its last event; null if it did not.
  problem     text,
  created_by  json not null,
  created_at  timestamptz not null default now(),
  started_at  timestamptz,
  ended_at    timestamptz
);
comment on table rehearsals is 'A change that is tried on past events of a webhook or schedule before it is saved. Written by rehearsals.';
create index rehearsals_of_source on rehearsals (source_id, id);
create index rehearsals_active on rehearsals (id) where status in ('queued', 'running');

create table rehearsed_events (
  rehearsal_id  text not null references rehearsals (id) on delete cascade,
  -- The newest event has 0.
  position      integer not null,
  event_id      text not null,
  -- What really happened; null if no run of the event is kept.
  before_run_id text,
  -- What happens with the change: a run, or what the rules make of the event instead. Both null until its turn.
  run_id        text,
  ruled         text check (ruled in ('skipped', 'notified')),
  outcome       text check (outcome in ('same', 'replyDiffers', 'newWrite', 'writeGone', 'notRecorded', 'failed')),
  -- The name of the order that was hidden in the event; null outside drills.
  injection     text,
  -- The checks of a case as they were when the rehearsal began and, once it was compared, whether each passed.
  checks        json,
  primary key (rehearsal_id, position),
  unique (rehearsal_id, event_id)
);
comment on table rehearsed_events is 'One event of a rehearsal, with its run before and its run with the change; texts stay with the runs. Written by rehearsals.';
create index rehearsed_events_of_case on rehearsed_events (event_id) where checks is not null;

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

-- What another model would do with the events of a webhook, tried every night.
create table nightly_rehearsals (
  source_id    text primary key,
  -- {provider,name}: the model that is tried.
  model        json not null,
  budget       double precision not null,
  next_at      timestamptz not null,
  -- Of last night: the rehearsal, or why there was none.
  rehearsal_id text,
  problem      text,
  -- On whose behalf it is paid for.
  created_by   json not null
);
comment on table nightly_rehearsals is 'That the latest events of a webhook are rehearsed with another model every night. Written by rehearsals.';
create index nightly_rehearsals_due on nightly_rehearsals (next_at);
