-- A schedule, like a webhook, may name the model that answers when its own cannot.

alter table schedules add column fallback_model json;

create or replace view event_sources as
  select id, name, channel_id, prompt, state, ceiling, connector_ids, allow_silence, model, concurrency, runs_per_hour, cost_per_day,
         paused_at, reads_across, fallback_model
  from webhooks
  union all
  -- A schedule has the limit of its channel.
  select id, name, channel_id, prompt, state, ceiling, connector_ids, allow_silence, model, 1, null, cost_per_day, paused_at, 'all',
         fallback_model
  from schedules;
