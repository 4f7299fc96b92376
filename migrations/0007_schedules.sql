-- Schedules start the agent at a due time. A due time is an event like any other, so events and runs name their source: a webhook or a
-- schedule.

create table schedules (
  id             text primary key,
  name           text not null,
  channel_id     text not null,
  prompt         text not null,
  state          text not null check (state in ('active', 'inactive', 'deleted')),
  -- One of the two; `at` is a local time, once.
  cron           text,
  at             text,
  time_zone      text not null,
  if_missed      text not null check (if_missed in ('skip', 'run')),
  grace_minutes  integer not null,
  overlap        text not null check (overlap in ('skip', 'wait')),
  thread         text not null check (thread in ('new', 'same')),
  -- A schedule by which the agent comes back to a thread, once, and what it wanted to do there, in its own words: never an
  -- instruction.
  thread_id      text,
  why            text,
  ceiling        text not null check (ceiling in ('read', 'write', 'destructive')),
  -- Null: every connector.
  connector_ids  json,
  -- Another model than the service's own.
  model          json,
  -- Asked when that model cannot answer; null is the fallback of the settings.
  fallback_model json,
  allow_silence  boolean not null,
  cost_per_day   double precision,
  paused_at      timestamptz,
  pause_reason   text,
  -- Failures before this do not count: somebody resumed it.
  resumed_at     timestamptz not null default now(),
  -- When it is due next; null: never, or not while it is paused or inactive.
  next_at        timestamptz,
  created_at     timestamptz not null default now(),
  created_by     text,
  updated_at     timestamptz not null default now(),
  deleted_at     timestamptz,
  check ((cron is null) <> (at is null))
);
comment on table schedules is 'When the agent is to do something by itself, and what. Written by schedules.';
create index schedules_due on schedules (next_at) where next_at is not null;
-- One waits at a time in a thread.
create unique index schedules_of_thread on schedules (thread_id) where thread_id is not null and next_at is not null;

create view event_sources as
  select id, name, channel_id, prompt, state, ceiling, connector_ids, allow_silence, model, concurrency, runs_per_hour, cost_per_day,
         paused_at, reads_across, fallback_model
  from webhooks
  union all
  -- A schedule has the limit of its channel.
  select id, name, channel_id, prompt, state, ceiling, connector_ids, allow_silence, model, 1, null, cost_per_day, paused_at, 'all',
         fallback_model
  from schedules
  union all
  -- Names of private channels are not shown to everybody who sees the figures of sources.
  select w.id, case when c.is_private then 'a private channel' else '#' || c.name end, w.channel_id, w.prompt, w.state, w.ceiling, null,
         true, null, 4, w.runs_per_hour, null, w.paused_at, 'all', null
  from watches w join channels c on c.id = w.channel_id;
comment on view event_sources is 'What events come from: the settings that a webhook, a schedule and a watched channel have in common.';
