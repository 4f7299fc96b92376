-- Remote MCP servers: what each said about itself, and what it publishes. Only src/connectors writes here.

create table mcp_servers (
  connector_id     text primary key references connectors (id) on delete cascade,
  server_name      text,
  server_version   text,
  protocol_version text,
  transport        text check (transport in ('streamable-http', 'sse')),
  -- Health, for the operator.
  last_contact_at  timestamptz,
  last_error       text,
  last_error_at    timestamptz,
  -- Entries of its list that cannot be used, as JSON text: [{"name":…,"reason":…}].
  refused          text not null default '[]',
  -- A new connector is asked for its tools at once.
  next_refresh_at  timestamptz not null default now()
);
create index mcp_servers_due on mcp_servers (next_refresh_at);

-- Beside the row in tools, which has what the agent sees: the whole object as the server publishes it. Life in
-- src/connectors/mcp/mcp-tool.ts.
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
  -- An enabled tool has been looked at, whole.
  check (state <> 'enabled' or (pinned is not null and pinned_hash = found_hash)),
  changed_at        timestamptz not null default now()
);
create index mcp_tools_of on mcp_tools (connector_id);
