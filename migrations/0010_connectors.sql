-- Connectors and their tools. Only src/connectors writes here; other slices may read.

create table connectors (
  id               text primary key,
  type             text not null check (type in ('http', 'mcp')),
  name             text not null,
  -- First part of the names the model sees (`shop__get_order`). Stays when the connector is renamed: prompts may speak of it.
  slug             text not null unique,
  -- The root URL of the API, or the URL of the MCP server.
  base_url         text not null,
  auth_type        text not null check (auth_type in ('none', 'bearer', 'api_key', 'basic')),
  auth_header_name text,
  -- Sealed by the vault.
  auth_value       text,
  -- Null means the usual limits.
  timeout_ms       integer check (timeout_ms between 100 and 120000),
  -- Counted up by every edit; approvals are bound to it.
  version          integer not null default 1,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now()
);

-- Sent with every request of the connector. A header has a plain value or a sealed one.
create table connector_headers (
  -- `<connector id>/<name in lower case>`, so that a sealed value is bound to its header.
  id           text primary key,
  connector_id text not null references connectors (id) on delete cascade,
  position     integer not null,
  name         text not null,
  value        text,
  sealed_value text,
  check ((value is null) <> (sealed_value is null))
);
create index connector_headers_of on connector_headers (connector_id);

create table tools (
  id            text primary key,
  connector_id  text not null references connectors (id) on delete cascade,
  position      integer not null,
  name          text not null,
  -- As the model calls it; unique over all connectors.
  model_name    text not null unique,
  description   text not null,
  -- Null for tools of MCP servers.
  method        text check (method in ('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE')),
  path          text,
  capability    text not null check (capability in ('read', 'write', 'destructive')),
  -- Null: the capability decides.
  permission    text check (permission in ('auto', 'approve', 'confirm', 'off')),
  locations     text not null default '{}',
  body_format   text not null default 'json' check (body_format in ('json', 'form')),
  -- Text, so that key order and numbers stay as they were written.
  input_schema  text not null,
  output_schema text,
  version       integer not null default 1,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  unique (connector_id, name)
);
