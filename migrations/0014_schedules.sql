-- Schedules ring the agent by the clock. A due time is an event like any other, so events and runs name their source: a webhook or a schedule.

create table schedules (
  id            text primary key,
  name          text not null,
  channel_id    text not null,
  prompt        text not null,
  state         text not null check (state in ('active', 'inactive', 'deleted')),
  -- One of the two; `at` is a local time, once.
  cron          text,
  at            text,
  time_zone     text not null,
  if_missed     text not null check (if_missed in ('skip', 'run')),
  grace_minutes integer not null,
  overlap       text not null check (overlap in ('skip', 'wait')),
  thread        text not null check (thread in ('new', 'same')),
  ceiling       text not null check (ceiling in ('read', 'write', 'destructive')),
  -- Null: every connector.
  connector_ids json,
  -- Another model than the service's own.
  model         json,
  allow_silence boolean not null,
  cost_per_day  double precision,
  paused_at     timestamptz,
  pause_reason  text,
  -- Failures before this do not count: somebody resumed it.
  resumed_at    timestamptz not null default now(),
  -- When it rings next; null: never, or not while it is paused or inactive.
  next_at       timestamptz,
  created_at    timestamptz not null default now(),
  created_by    text,
  updated_at    timestamptz not null default now(),
  deleted_at    timestamptz,
  check ((cron is null) <> (at is null))
);
comment on table schedules is 'When the agent is to do something by itself, and what. Written by schedules.';
create index schedules_due on schedules (next_at) where next_at is not null;

create view event_sources as
  select id, name, channel_id, prompt, state, ceiling, connector_ids, allow_silence, model, concurrency, runs_per_hour, cost_per_day,
         paused_at
  from webhooks
  union all
  select id, name, channel_id, prompt, state, ceiling, connector_ids, allow_silence, model, 1, null, cost_per_day, paused_at
  from schedules;
comment on view event_sources is 'What events come from: the settings that a webhook and a schedule have in common.';

alter table events rename column webhook_id to source_id;
alter table events rename column source to sender_address;
-- The due time of a schedule.
alter table events add column scheduled_at timestamptz;
-- Why it started no run, in words.
alter table events add column note text;
alter index events_of_webhook rename to events_of_source;
alter index events_of_webhook_by_status rename to events_of_source_by_status;
-- A due time rings once, however many processes reach it.
create unique index events_by_due_time on events (source_id, scheduled_at) where scheduled_at is not null;

alter table runs rename column webhook_id to source_id;
alter table runs rename column thread_webhook_id to thread_source_id;
alter table runs drop constraint runs_trigger_check;
alter table runs add constraint runs_trigger_check check (trigger in ('webhook', 'schedule', 'chat', 'replay', 'test', 'mcp'));
alter index runs_by_webhook rename to runs_by_source;
alter index runs_failed_of_webhook rename to runs_failed_of_source;
alter index runs_of_webhook_by_age rename to runs_of_source_by_age;

alter table hour_figures rename column webhook_id to source_id;
