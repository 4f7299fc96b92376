-- What admins set while the service runs.

create table settings (
  name       text primary key,
  value      json not null,
  -- The group's secret, sealed: the key of a model provider.
  secret     text,
  updated_at timestamptz not null default now(),
  updated_by text
);
comment on table settings is 'A group of settings (agent, model, limits, retention, …) that an admin changes while the service runs. Written by settings.';
