-- What the platform itself keeps.

-- One sealed value that is opened at every start: a wrong encryption key stops the start, not the first call.
create table vault_canary (
  id     text primary key check (id = 'canary'),
  sealed text not null
);

-- Small facts an admin can change at run time, one row per group (agent, model, limits, retention, …).
-- The slice that owns a group knows its shape.
create table settings (
  name       text primary key,
  value      json not null,
  -- The group's secret, sealed: the key of a model provider.
  secret     text,
  updated_at timestamptz not null default now(),
  updated_by text
);
