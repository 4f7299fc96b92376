-- Watched channels: what is written there at the top level becomes an event.

create table watches (
  channel_id    text primary key references channels,
  -- It shares its number with the channel, as an event does with its run.
  id            text not null unique generated always as ('watch_' || substr(channel_id, 6)) stored,
  state         text not null check (state in ('active', 'deleted')),
  -- Whose messages count: `apps`, `people` or both.
  written_by    text not null check (written_by in ('apps', 'people', 'all')),
  -- In CEL; null: every message.
  condition     text,
  prompt        text not null,
  ceiling       text not null check (ceiling in ('read', 'write', 'destructive')),
  -- A breach pauses it: messages are kept as events and start no run.
  runs_per_hour integer not null,
  paused_at     timestamptz,
  pause_reason  text,
  updated_at    timestamptz not null default now()
);
comment on table watches is 'A channel whose messages the agent reads as they come, and what it is to do. Written by chat.';

-- What was written in a watched channel: the answer goes to its thread.
alter table events add column message_id text;

create or replace view event_sources as
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

alter table runs drop constraint runs_trigger_check;
alter table runs add constraint runs_trigger_check
  check (trigger in ('webhook', 'schedule', 'watch', 'chat', 'replay', 'test', 'mcp'));
