-- What people think of replies.

create table thumbs (
  run_id      text not null references runs (id) on delete cascade,
  -- A user; for somebody whose chat account is not linked, the workspace and the account.
  person_id   text not null,
  person_name text not null,
  thumb       text not null check (thumb in ('up', 'down')),
  -- Why it is down, as far as the person has said.
  reason      text,
  note        text,
  rated_at    timestamptz not null default now(),
  primary key (run_id, person_id)
);
comment on table thumbs is 'What one person thinks of the reply of a run. Written by chat.';
create index thumbs_by_kind on thumbs (thumb, run_id);

-- The answer of its run: people may rate it.
alter table messages add column is_reply boolean not null default false;
