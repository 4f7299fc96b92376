-- Changes are proved on the past: real events run again, dry, with settings that are not saved yet.

create table rehearsals (
  id          text primary key,
  source_id   text not null,
  -- As it was: the webhook or schedule may be renamed or deleted.
  source_name text not null,
  -- Only what differs from the saved settings.
  change      json not null,
  reads       text not null check (reads in ('recorded', 'live')),
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
  primary key (rehearsal_id, position),
  unique (rehearsal_id, event_id)
);
comment on table rehearsed_events is 'One event of a rehearsal, with its run before and its run with the change; texts stay with the runs. Written by rehearsals.';

-- A run of a rehearsal is in no list and in no figure.
alter table runs add column rehearsal_id text;
create index runs_of_rehearsal on runs (rehearsal_id) where rehearsal_id is not null;

create table dry_calls (
  call_id          text primary key,
  run_id           text not null references runs (id) on delete cascade,
  capability       text not null check (capability in ('read', 'write', 'destructive')),
  -- `stopped`: it would have been sent or asked for. `refused`: a real run would have been refused it, too.
  answered         text not null check (answered in ('live', 'recorded', 'not_recorded', 'stopped', 'refused')),
  -- The call of the original run whose answer it got.
  recorded_call_id text
);
comment on table dry_calls is 'What became of one tool call of a dry run; the input is in its step. Written by runs.';
create index dry_calls_of_run on dry_calls (run_id);
