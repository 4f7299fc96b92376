-- Connectors, their tools, what MCP servers publish, and what authorization servers have granted.

create table connectors (
  id            text primary key,
  type          text not null check (type in ('http', 'mcp')),
  name          text not null,
  -- First part of the names the model sees (`shop__get_order`). Stays when the connector is renamed: prompts may use it.
  slug          text not null unique,
  -- The root URL of the API, or the URL of the MCP server.
  base_url      text not null,
  auth_type     text not null
                 check (auth_type in ('none', 'bearer', 'api_key', 'basic', 'query', 'oauth', 'oauth_client')),
  -- The name of the header or of the query parameter.
  auth_name     text,
  -- Sealed by the vault.
  auth_value    text,
  -- JSON text: addresses, client id, scopes and the like.
  oauth         text,
  -- Sealed by the vault: the secret of the client.
  oauth_secret  text,
  -- Writes that a person approved carry a signed receipt.
  sign_requests boolean not null default false,
  -- Null means the usual limits.
  timeout_ms    integer check (timeout_ms between 100 and 120000),
  -- Incremented by every edit; approvals are bound to it.
  version       integer not null default 1,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now()
);
comment on table connectors is 'A REST API or an MCP server that the agent may use. Written by connectors.';

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
comment on table connector_headers is 'A header of every request of a connector, with a plain or an encrypted value. Written by connectors.';
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
  -- Incremented by every edit; approvals are bound to it.
  version       integer not null default 1,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  unique (connector_id, name)
);
comment on table tools is 'Something the agent can do through a connector. Written by connectors.';

create table mcp_servers (
  connector_id     text primary key references connectors (id) on delete cascade,
  server_name      text,
  server_version   text,
  protocol_version text,
  transport        text check (transport in ('streamable-http', 'sse')),
  -- Entries of its list that cannot be used, as JSON text: [{"name":…,"reason":…}].
  refused          text not null default '[]',
  -- Prompts that the server offers, as JSON: suggestions for people who write one.
  prompts          text not null default '[]',
  -- A new connector is asked for its tools at once.
  next_refresh_at  timestamptz not null default now()
);
comment on table mcp_servers is 'What the MCP server of a connector says about itself. Written by connectors.';
create index mcp_servers_due on mcp_servers (next_refresh_at);

create table mcp_tools (
  tool_id           text primary key references tools (id) on delete cascade,
  connector_id      text not null references connectors (id) on delete cascade,
  state             text not null check (state in ('new', 'enabled', 'off', 'quarantined', 'gone')),
  -- Where a tool goes back to when the server lists it again as it was.
  state_before_gone text check (state_before_gone in ('enabled', 'off', 'quarantined')),
  -- Text, so that key order stays: as it was found last, and as it was when a person enabled it.
  found             text not null,
  found_hash        text not null,
  pinned            text,
  pinned_hash       text,
  changed_at        timestamptz not null default now(),
  -- An enabled tool has been reviewed as it is now.
  check (state <> 'enabled' or (pinned is not null and pinned_hash = found_hash))
);
comment on table mcp_tools is 'A tool as its MCP server publishes it, beside its row in tools (states: src/connectors/mcp/mcp-tool.ts). Written by connectors.';
create index mcp_tools_of on mcp_tools (connector_id);

create table connector_health (
  connector_id    text primary key references connectors (id) on delete cascade,
  last_contact_at timestamptz,
  -- Null once it was reached again.
  last_error      text,
  last_error_at   timestamptz
);
comment on table connector_health is 'How a connector fared when it was last used. Apart from it: this changes often, and changes nothing. Written by connectors.';

create table connector_revision (
  id       boolean primary key default true check (id),
  revision bigint not null default 0
);
comment on table connector_revision is 'One number that is incremented with every change of a connector, header or tool: caches of them compare it. Written by connectors.';
insert into connector_revision default values;

create table connector_grants (
  connector_id  text primary key references connectors (id) on delete cascade,
  state         text not null check (state in ('none', 'connected', 'reconnect')),
  -- JSON text: the authorization server as it was found when somebody signed in. Tokens go nowhere else.
  server        text,
  client_id     text,
  -- Sealed by the vault.
  client_secret text,
  registration  text check (registration in ('given', 'cimd', 'dcr')),
  access_token  text,
  refresh_token text,
  scopes        text not null default '',
  -- What the server of the connector refused for want of scopes (403, insufficient_scope): the next sign-in asks for them.
  wanted_scopes text not null default '',
  account       text,
  issued_at     timestamptz,
  expires_at    timestamptz,
  -- Incremented by every new token: whoever renews must know the number of the one that is replaced.
  generation    integer not null default 0,
  -- Until then one process may renew. No transaction is open meanwhile.
  lease_until   timestamptz,
  -- Renewals of this generation that were begun and whose outcome is not known.
  unsure        integer not null default 0,
  connected_by  text,
  connected_at  timestamptz,
  last_error    text,
  check (state <> 'connected' or access_token is not null)
);
comment on table connector_grants is 'Access that an authorization server has granted to a connector. Written by connectors.';

create table oauth_attempts (
  -- A hash of the `state` parameter.
  id           text primary key,
  connector_id text not null references connectors (id) on delete cascade,
  -- A hash of the session of the admin who began it.
  session      text not null,
  -- Sealed by the vault: what is needed to finish it.
  sealed       text not null,
  created_at   timestamptz not null default now()
);
comment on table oauth_attempts is 'A sign-in at an authorization server that has begun. Used once, within ten minutes. Written by connectors.';
create index oauth_attempts_of on oauth_attempts (connector_id);
