-- A card names earlier calls of the same tool in its thread; a turn lists the calls that wait in it.
create index approvals_of_thread on approvals (thread_id) where thread_id is not null;
create index approvals_of_card on approvals (message_id) where message_id is not null;

-- `one`: once a run about an event has read from one connector, a call of another one asks an admin.
alter table webhooks add column reads_across text not null default 'all' check (reads_across in ('all', 'one'));
-- For every webhook that posts to the channel.
alter table channels add column reads_across text not null default 'all' check (reads_across in ('all', 'one'));
-- As it was when the run began.
alter table runs add column reads_across text not null default 'all' check (reads_across in ('all', 'one'));

create or replace view event_sources as
  select id, name, channel_id, prompt, state, ceiling, connector_ids, allow_silence, model, concurrency, runs_per_hour, cost_per_day,
         paused_at, reads_across
  from webhooks
  union all
  -- A schedule has the limit of its channel.
  select id, name, channel_id, prompt, state, ceiling, connector_ids, allow_silence, model, 1, null, cost_per_day, paused_at, 'all'
  from schedules;
