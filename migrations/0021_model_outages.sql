create table model_outages (
  provider       text not null,
  name           text not null,
  since          timestamptz not null default now(),
  -- What the provider said last.
  problem        text not null,
  -- Until then its fallback is asked instead.
  fallback_until timestamptz,
  primary key (provider, name)
);
comment on table model_outages is 'A model that does not answer at present; the row is deleted when it answers again. Written by runs.';

-- Which model answered; empty in steps from before it was recorded.
alter table run_steps add column model_provider text not null default '';
alter table run_steps add column model_name text not null default '';

-- Asked when the webhook's model cannot answer; null is the fallback of the settings.
alter table webhooks add column fallback_model json;
