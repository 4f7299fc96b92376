-- The tables of Bellhop, written by npm run schema. The migrations say more about single columns.

-- One encrypted value that is decrypted at every start, so that a wrong encryption key is noticed then. Written by platform.
create table vault_canary (
  id text not null,
  sealed text not null,
  PRIMARY KEY (id),
  CHECK ((id = 'canary'::text))
);

-- A job that a worker has taken, until when the worker counts as alive. Written by platform.
create table job_leases (
  job_id uuid not null,
  queue text not null,
  attempt integer not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (job_id)
);

-- A person who can sign in, or was invited to. Written by accounts.
create table users (
  id text not null,
  email text not null,
  name text not null,
  role text not null,
  password_hash text,
  disabled_at timestamp with time zone,
  totp_secret text,
  totp_confirmed_at timestamp with time zone,
  totp_last_step integer not null default 0,
  created_at timestamp with time zone not null default now(),
  locale text,
  PRIMARY KEY (id),
  CHECK ((role = ANY (ARRAY['member'::text, 'operator'::text, 'admin'::text])))
);
CREATE UNIQUE INDEX users_email ON users USING btree (lower(email));

-- A code that works once in place of one from the authenticator app. Written by accounts.
create table recovery_codes (
  user_id text not null,
  code_hash text not null,
  PRIMARY KEY (user_id, code_hash),
  FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

-- A signed-in browser. The cookie has the token, the row only its SHA-256. Written by accounts.
create table sessions (
  id text not null,
  user_id text not null,
  token_hash text not null,
  user_agent text,
  source text not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  UNIQUE (token_hash),
  FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sessions_user ON sessions USING btree (user_id);

-- Filters, order and columns of a list, as a person keeps them under a name. Written by accounts.
create table saved_views (
  id text not null,
  user_id text not null,
  list text not null,
  name text not null,
  query text not null,
  columns text[] not null,
  PRIMARY KEY (id),
  UNIQUE (user_id, list, name),
  FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

-- An invitation or a reset of a password. It is deleted when it is used. Written by accounts.
create table one_time_links (
  token_hash text not null,
  kind text not null,
  user_id text,
  expires_at timestamp with time zone not null,
  created_by text,
  PRIMARY KEY (token_hash),
  FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CHECK (((kind = 'setup'::text) = (user_id IS NULL))),
  CHECK ((kind = ANY (ARRAY['setup'::text, 'invitation'::text, 'password-reset'::text])))
);
CREATE INDEX one_time_links_user ON one_time_links USING btree (user_id);

-- A key with which a program calls the API, as its SHA-256. Written by accounts.
create table api_keys (
  id text not null,
  name text not null,
  role text not null,
  key_hash text not null,
  start text not null,
  created_by text not null,
  created_by_id text,
  from_environment boolean not null default false,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  PRIMARY KEY (id),
  UNIQUE (key_hash),
  CHECK ((role = ANY (ARRAY['member'::text, 'operator'::text, 'admin'::text])))
);

-- How many guesses an account or a source address has left. Written by accounts.
create table sign_in_attempts (
  key text not null,
  refilled_at timestamp with time zone not null,
  PRIMARY KEY (key)
);

-- The OpenID Connect provider that people sign in through, if there is one. Written by accounts.
create table oidc_provider (
  id text not null,
  name text not null,
  issuer text not null,
  client_id text not null,
  client_secret text not null,
  new_users_role text,
  PRIMARY KEY (id),
  CHECK ((id = 'provider'::text)),
  CHECK ((new_users_role = ANY (ARRAY['member'::text, 'operator'::text])))
);

-- Under which subject the provider knows a person. An address may change hands, a subject does not. Written by accounts.
create table user_identities (
  issuer text not null,
  subject text not null,
  user_id text not null,
  PRIMARY KEY (issuer, subject),
  FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX user_identities_user ON user_identities USING btree (user_id);

-- People who may decide about calls together. Written by accounts.
create table groups (
  id text not null,
  name text not null,
  slack_user_group text,
  oidc_claim text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX groups_name ON groups USING btree (lower(name));

-- A person in a group. Written by accounts.
create table group_members (
  group_id text not null,
  user_id text not null,
  source text not null,
  PRIMARY KEY (group_id, user_id, source),
  FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE,
  FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CHECK ((source = ANY (ARRAY['named'::text, 'claim'::text])))
);
CREATE INDEX group_members_user ON group_members USING btree (user_id);

-- What somebody changed, and from where. Rows are only added. Written by accounts.
create table audit_log (
  id text not null,
  at timestamp with time zone not null default clock_timestamp(),
  actor_kind text not null,
  actor_id text not null,
  actor_name text not null,
  action text not null,
  subject text,
  subject_name text,
  source text,
  detail json,
  chain text,
  mac text,
  position bigint,
  hash text,
  PRIMARY KEY (id)
);
CREATE INDEX audit_log_subject ON audit_log USING btree (subject, id);
CREATE INDEX audit_log_actor ON audit_log USING btree (actor_id, id);
CREATE INDEX audit_log_action ON audit_log USING btree (action, id);
CREATE INDEX audit_log_noun ON audit_log USING btree (split_part(action, '.'::text, 1), id);
CREATE UNIQUE INDEX audit_log_chain ON audit_log USING btree (chain, "position") WHERE ("position" IS NOT NULL);
CREATE INDEX audit_log_unsealed ON audit_log USING btree (id) WHERE ((chain IS NOT NULL) AND ("position" IS NULL));

-- A key of the audit log, and the chain that is kept under it. Written by accounts.
create table audit_keys (
  id text not null,
  sealed text not null,
  created_at timestamp with time zone not null default now(),
  position bigint not null default 0,
  hash text not null default ''::text,
  pruned_position bigint not null default 0,
  pruned_hash text not null default ''::text,
  mac text not null,
  PRIMARY KEY (id)
);

-- How far the audit log had got on a day, signed. Written by accounts.
create table audit_heads (
  day date not null,
  chain text not null,
  position bigint not null,
  hash text not null,
  head text not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (day)
);

-- A group of settings (agent, model, limits, retention, …) that an admin changes while the service runs. Written by settings.
create table settings (
  name text not null,
  value json not null,
  secret text,
  updated_at timestamp with time zone not null default now(),
  updated_by text,
  PRIMARY KEY (name)
);

-- A REST API or an MCP server that the agent may use. Written by connectors.
create table connectors (
  id text not null,
  type text not null,
  name text not null,
  slug text not null,
  base_url text not null,
  auth_type text not null,
  auth_name text,
  auth_value text,
  oauth text,
  oauth_secret text,
  sign_requests boolean not null default false,
  timeout_ms integer,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  UNIQUE (slug),
  CHECK ((auth_type = ANY (ARRAY['none'::text, 'bearer'::text, 'api_key'::text, 'basic'::text, 'query'::text, 'oauth'::text, 'oauth_client'::text]))),
  CHECK (((timeout_ms >= 100) AND (timeout_ms <= 120000))),
  CHECK ((type = ANY (ARRAY['http'::text, 'mcp'::text])))
);

-- A header of every request of a connector, with a plain or an encrypted value. Written by connectors.
create table connector_headers (
  id text not null,
  connector_id text not null,
  position integer not null,
  name text not null,
  value text,
  sealed_value text,
  PRIMARY KEY (id),
  FOREIGN KEY (connector_id) REFERENCES connectors(id) ON DELETE CASCADE,
  CHECK (((value IS NULL) <> (sealed_value IS NULL)))
);
CREATE INDEX connector_headers_of ON connector_headers USING btree (connector_id);

-- Something the agent can do through a connector. Written by connectors.
create table tools (
  id text not null,
  connector_id text not null,
  position integer not null,
  name text not null,
  model_name text not null,
  description text not null,
  method text,
  path text,
  capability text not null,
  permission text,
  locations text not null default '{}'::text,
  body_format text not null default 'json'::text,
  input_schema text not null,
  output_schema text,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  UNIQUE (connector_id, name),
  UNIQUE (model_name),
  FOREIGN KEY (connector_id) REFERENCES connectors(id) ON DELETE CASCADE,
  CHECK ((body_format = ANY (ARRAY['json'::text, 'form'::text]))),
  CHECK ((capability = ANY (ARRAY['read'::text, 'write'::text, 'destructive'::text]))),
  CHECK ((method = ANY (ARRAY['GET'::text, 'HEAD'::text, 'POST'::text, 'PUT'::text, 'PATCH'::text, 'DELETE'::text]))),
  CHECK ((permission = ANY (ARRAY['auto'::text, 'approve'::text, 'confirm'::text, 'off'::text])))
);

-- What the MCP server of a connector says about itself. Written by connectors.
create table mcp_servers (
  connector_id text not null,
  server_name text,
  server_version text,
  protocol_version text,
  transport text,
  refused text not null default '[]'::text,
  prompts text not null default '[]'::text,
  next_refresh_at timestamp with time zone not null default now(),
  PRIMARY KEY (connector_id),
  FOREIGN KEY (connector_id) REFERENCES connectors(id) ON DELETE CASCADE,
  CHECK ((transport = ANY (ARRAY['streamable-http'::text, 'sse'::text])))
);
CREATE INDEX mcp_servers_due ON mcp_servers USING btree (next_refresh_at);

-- A tool as its MCP server publishes it, beside its row in tools (states: src/connectors/mcp/mcp-tool.ts). Written by connectors.
create table mcp_tools (
  tool_id text not null,
  connector_id text not null,
  state text not null,
  state_before_gone text,
  found text not null,
  found_hash text not null,
  pinned text,
  pinned_hash text,
  changed_at timestamp with time zone not null default now(),
  PRIMARY KEY (tool_id),
  FOREIGN KEY (connector_id) REFERENCES connectors(id) ON DELETE CASCADE,
  FOREIGN KEY (tool_id) REFERENCES tools(id) ON DELETE CASCADE,
  CHECK (((state <> 'enabled'::text) OR ((pinned IS NOT NULL) AND (pinned_hash = found_hash)))),
  CHECK ((state_before_gone = ANY (ARRAY['enabled'::text, 'off'::text, 'quarantined'::text]))),
  CHECK ((state = ANY (ARRAY['new'::text, 'enabled'::text, 'off'::text, 'quarantined'::text, 'gone'::text])))
);
CREATE INDEX mcp_tools_of ON mcp_tools USING btree (connector_id);

-- How a connector fared when it was last used. Apart from it: this changes often, and changes nothing. Written by connectors.
create table connector_health (
  connector_id text not null,
  last_contact_at timestamp with time zone,
  last_error text,
  last_error_at timestamp with time zone,
  PRIMARY KEY (connector_id),
  FOREIGN KEY (connector_id) REFERENCES connectors(id) ON DELETE CASCADE
);

-- One number that is incremented with every change of a connector, header or tool: caches of them compare it. Written by connectors.
create table connector_revision (
  id boolean not null default true,
  revision bigint not null default 0,
  PRIMARY KEY (id),
  CHECK (id)
);

-- Access that an authorization server has granted to a connector. Written by connectors.
create table connector_grants (
  connector_id text not null,
  state text not null,
  server text,
  client_id text,
  client_secret text,
  registration text,
  access_token text,
  refresh_token text,
  scopes text not null default ''::text,
  wanted_scopes text not null default ''::text,
  account text,
  issued_at timestamp with time zone,
  expires_at timestamp with time zone,
  generation integer not null default 0,
  lease_until timestamp with time zone,
  unsure integer not null default 0,
  connected_by text,
  connected_at timestamp with time zone,
  last_error text,
  PRIMARY KEY (connector_id),
  FOREIGN KEY (connector_id) REFERENCES connectors(id) ON DELETE CASCADE,
  CHECK (((state <> 'connected'::text) OR (access_token IS NOT NULL))),
  CHECK ((registration = ANY (ARRAY['given'::text, 'cimd'::text, 'dcr'::text]))),
  CHECK ((state = ANY (ARRAY['none'::text, 'connected'::text, 'reconnect'::text])))
);

-- A sign-in at an authorization server that has begun. Used once, within ten minutes. Written by connectors.
create table oauth_attempts (
  id text not null,
  connector_id text not null,
  session text not null,
  sealed text not null,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  FOREIGN KEY (connector_id) REFERENCES connectors(id) ON DELETE CASCADE
);
CREATE INDEX oauth_attempts_of ON oauth_attempts USING btree (connector_id);

-- A chat platform that Bellhop is connected to; one of them is built in. Written by chat.
create table workspaces (
  id text not null,
  platform text not null,
  name text not null,
  settings json not null default '{}'::json,
  sealed_credentials text,
  last_event_at timestamp with time zone,
  last_post_at timestamp with time zone,
  last_error text,
  last_error_at timestamp with time zone,
  revoked_at timestamp with time zone,
  failures integer not null default 0,
  paused_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  created_by text,
  deleted_at timestamp with time zone,
  PRIMARY KEY (id),
  CHECK ((platform = ANY (ARRAY['built-in'::text, 'slack'::text, 'discord'::text, 'teams'::text, 'telegram'::text, 'google-chat'::text, 'mattermost'::text])))
);

-- A channel or a direct conversation of a workspace. Written by chat.
create table channels (
  id text not null,
  workspace_id text not null,
  name text not null,
  kind text not null default 'channel'::text,
  external_id text,
  is_private boolean not null default false,
  connector_ids json,
  reads_across text not null default 'all'::text,
  thread_context text not null default 'all'::text,
  last_seq integer not null default 0,
  created_at timestamp with time zone not null default now(),
  created_by text,
  deleted_at timestamp with time zone,
  PRIMARY KEY (id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  CHECK ((kind = ANY (ARRAY['channel'::text, 'direct'::text]))),
  CHECK ((reads_across = ANY (ARRAY['all'::text, 'one'::text]))),
  CHECK ((thread_context = ANY (ARRAY['all'::text, 'off'::text])))
);
CREATE UNIQUE INDEX channels_external ON channels USING btree (workspace_id, external_id) WHERE (external_id IS NOT NULL);
CREATE UNIQUE INDEX channels_name ON channels USING btree (workspace_id, lower(name)) WHERE ((external_id IS NULL) AND (deleted_at IS NULL));

-- A message in a channel: of the agent, or of a person to it. Written by chat.
create table messages (
  id text not null,
  channel_id text not null,
  thread_id text,
  author_kind text not null,
  author_id text,
  author_name text not null,
  text text not null,
  card json,
  origin json,
  mentions text[] not null default '{}'::text[],
  files json,
  is_reply boolean not null default false,
  has_cancel boolean not null default false,
  replies_to json,
  run_id text,
  post_key text,
  external_id text,
  permalink text,
  delivery text not null default 'sent'::text,
  created_seq integer not null,
  seq integer not null,
  held boolean not null default false,
  announced_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  edited_at timestamp with time zone,
  deleted_at timestamp with time zone,
  PRIMARY KEY (id),
  FOREIGN KEY (channel_id) REFERENCES channels(id),
  FOREIGN KEY (thread_id) REFERENCES messages(id),
  CHECK ((author_kind = ANY (ARRAY['agent'::text, 'user'::text, 'system'::text]))),
  CHECK ((delivery = ANY (ARRAY['sending'::text, 'sent'::text, 'ambiguous'::text, 'failed'::text])))
);
CREATE UNIQUE INDEX messages_post_key ON messages USING btree (channel_id, post_key) WHERE (post_key IS NOT NULL);
CREATE UNIQUE INDEX messages_external ON messages USING btree (channel_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX messages_created ON messages USING btree (channel_id, created_seq DESC);
CREATE INDEX messages_changed ON messages USING btree (channel_id, seq);
CREATE INDEX messages_thread ON messages USING btree (thread_id, created_seq) WHERE (thread_id IS NOT NULL);
CREATE INDEX messages_author ON messages USING btree (author_id) WHERE (author_id IS NOT NULL);
CREATE INDEX messages_run ON messages USING btree (run_id) WHERE (run_id IS NOT NULL);
CREATE INDEX messages_held ON messages USING btree (channel_id, created_seq) WHERE held;
CREATE INDEX messages_search ON messages USING gin (to_tsvector('simple'::regconfig, "left"(text, 20000)));

-- How one person reacted to a message in the built-in workspace. Written by chat.
create table reactions (
  message_id text not null,
  name text not null,
  person_id text not null,
  person_name text not null,
  reacted_at timestamp with time zone not null default clock_timestamp(),
  PRIMARY KEY (message_id, name, person_id),
  FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE
);

-- A message as it is split for another platform. Written by chat.
create table message_parts (
  message_id text not null,
  part integer not null,
  text text not null,
  file text,
  external_id text,
  attempted_at timestamp with time zone,
  leased_until timestamp with time zone,
  PRIMARY KEY (message_id, part),
  FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE
);
CREATE INDEX message_parts_external ON message_parts USING btree (external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX message_parts_leased ON message_parts USING btree (message_id, part) WHERE (leased_until IS NOT NULL);

-- Up to where a person has read a channel, whether the person has starred it, and what of it counts as unread. Written by chat.
create table read_marks (
  user_id text not null,
  channel_id text not null,
  seq integer not null,
  starred boolean not null default false,
  notify text not null default 'all'::text,
  PRIMARY KEY (user_id, channel_id),
  FOREIGN KEY (channel_id) REFERENCES channels(id) ON DELETE CASCADE,
  CHECK ((notify = ANY (ARRAY['all'::text, 'mentions'::text, 'muted'::text])))
);

-- What a platform sent, stored before it gets its answer. Those of one thread are read in order. Written by chat.
create table inbound_messages (
  seq bigint generated always as identity not null,
  workspace_id text not null,
  event_key text not null,
  thread_key text not null,
  sender_id text not null,
  body json,
  state text not null default 'waiting'::text,
  tries integer not null default 0,
  error text,
  received_at timestamp with time zone not null default now(),
  PRIMARY KEY (seq),
  UNIQUE (workspace_id, event_key),
  FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  CHECK ((state = ANY (ARRAY['waiting'::text, 'done'::text, 'aside'::text, 'failed'::text])))
);
CREATE INDEX inbound_messages_waiting ON inbound_messages USING btree (workspace_id, thread_key, seq) WHERE (state = ANY (ARRAY['waiting'::text, 'aside'::text]));
CREATE INDEX inbound_messages_received ON inbound_messages USING btree (received_at);

-- The user behind an account of a platform: this gives a click a role. Written by chat.
create table chat_identities (
  workspace_id text not null,
  external_id text not null,
  user_id text not null,
  name text not null,
  linked_at timestamp with time zone not null default now(),
  linked_by text not null,
  PRIMARY KEY (workspace_id, external_id),
  FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX chat_identities_user ON chat_identities USING btree (user_id);

-- A code that a signed-in user sends to the agent from a chat account, once and within minutes, to link it. Written by chat.
create table chat_link_codes (
  code_hash text not null,
  user_id text not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (code_hash),
  FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

-- How often a chat account has guessed a code. Written by chat.
create table chat_link_attempts (
  workspace_id text not null,
  external_id text not null,
  attempts integer not null,
  since timestamp with time zone not null,
  PRIMARY KEY (workspace_id, external_id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);

-- The connection over which a platform sends its events; one process holds it. Written by chat.
create table standing_connections (
  workspace_id text not null,
  holder text not null,
  held_until timestamp with time zone not null,
  open_since timestamp with time zone,
  session json,
  seen_until timestamp with time zone,
  PRIMARY KEY (workspace_id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);

-- A file that is attached to a message, as far as it can be read. Written by chat.
create table message_files (
  id text not null,
  channel_id text not null,
  message_id text,
  position smallint not null default 0,
  name text not null,
  size_bytes integer,
  reference json,
  media_type text,
  content bytea,
  text text,
  problem text,
  uploaded_by text,
  created_at timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  FOREIGN KEY (channel_id) REFERENCES channels(id),
  FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE
);
CREATE INDEX message_files_of ON message_files USING btree (message_id, "position");
CREATE INDEX message_files_unsent ON message_files USING btree (created_at) WHERE (message_id IS NULL);

-- A channel whose messages the agent reads as they come, and what it is to do. Written by chat.
create table watches (
  channel_id text not null,
  id text not null default ('watch_'::text || substr(channel_id, 6)),
  state text not null,
  written_by text not null,
  condition text,
  prompt text not null,
  ceiling text not null,
  runs_per_hour integer not null,
  paused_at timestamp with time zone,
  pause_reason text,
  updated_at timestamp with time zone not null default now(),
  PRIMARY KEY (channel_id),
  UNIQUE (id),
  FOREIGN KEY (channel_id) REFERENCES channels(id),
  CHECK ((ceiling = ANY (ARRAY['read'::text, 'write'::text, 'destructive'::text]))),
  CHECK ((state = ANY (ARRAY['active'::text, 'deleted'::text]))),
  CHECK ((written_by = ANY (ARRAY['apps'::text, 'people'::text, 'all'::text])))
);

-- A URL that other systems send events to, and what the agent should do with them. Written by webhooks.
create table webhooks (
  id text not null,
  name text not null,
  channel_id text not null,
  prompt text not null,
  state text not null,
  ceiling text not null default 'write'::text,
  connector_ids json,
  verification json,
  expose_headers json not null default '[]'::json,
  delivery_id json,
  rate_per_second double precision,
  rate_burst integer,
  max_body_bytes integer not null default 1048576,
  concurrency integer not null default 4,
  allow_silence boolean not null default false,
  model json,
  fallback_model json,
  reads_across text not null default 'all'::text,
  rules json,
  thread_key text,
  thread_days integer not null default 7,
  collect json,
  runs_per_hour integer,
  cost_per_day double precision,
  paused_at timestamp with time zone,
  pause_reason text,
  created_at timestamp with time zone not null default now(),
  created_by text,
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  PRIMARY KEY (id),
  CHECK ((ceiling = ANY (ARRAY['read'::text, 'write'::text, 'destructive'::text]))),
  CHECK (((rate_per_second IS NULL) = (rate_burst IS NULL))),
  CHECK ((concurrency > 0)),
  CHECK ((rate_burst > 0)),
  CHECK ((rate_per_second > (0)::double precision)),
  CHECK ((reads_across = ANY (ARRAY['all'::text, 'one'::text]))),
  CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text, 'deleted'::text])))
);
CREATE INDEX webhooks_of_channel ON webhooks USING btree (channel_id, id);

-- The secret end of a webhook's URL. More than one works while a rotation overlaps. Written by webhooks.
create table webhook_tokens (
  hash text not null,
  webhook_id text not null,
  sealed text,
  hint text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  last_used_from text,
  PRIMARY KEY (hash),
  FOREIGN KEY (webhook_id) REFERENCES webhooks(id)
);
CREATE INDEX webhook_tokens_of ON webhook_tokens USING btree (webhook_id, created_at);

-- A secret that verifies the signatures of a webhook's deliveries. Written by webhooks.
create table webhook_secrets (
  id text not null,
  webhook_id text not null,
  position smallint not null,
  sealed text not null,
  PRIMARY KEY (id),
  UNIQUE (webhook_id, "position"),
  FOREIGN KEY (webhook_id) REFERENCES webhooks(id)
);

-- One of the last deliveries that were not accepted, with the reason. Body and credentials are kept only sealed. Written by webhooks.
create table refusals (
  id text not null,
  webhook_id text not null,
  at timestamp with time zone not null default now(),
  status integer not null,
  problem text not null,
  reason text not null,
  source text not null,
  headers json not null,
  content_type text,
  size_bytes integer,
  sealed_request text,
  PRIMARY KEY (id)
);
CREATE INDEX refusals_of_webhook ON refusals USING btree (webhook_id, id);
CREATE INDEX refusals_with_request ON refusals USING btree (webhook_id, id) WHERE (sealed_request IS NOT NULL);

-- How many deliveries of a webhook were refused in one hour, all of them. Written by webhooks.
create table refused_hours (
  hour bigint not null,
  webhook_id text not null,
  refused integer not null,
  PRIMARY KEY (hour, webhook_id)
);

-- A source address that failed again and again to deliver. Written by webhooks.
create table failing_sources (
  source text not null,
  refilled_at timestamp with time zone not null,
  PRIMARY KEY (source)
);

-- When the agent is to do something by itself, and what. Written by schedules.
create table schedules (
  id text not null,
  name text not null,
  channel_id text not null,
  prompt text not null,
  state text not null,
  cron text,
  at text,
  time_zone text not null,
  if_missed text not null,
  grace_minutes integer not null,
  overlap text not null,
  thread text not null,
  thread_id text,
  why text,
  ceiling text not null,
  connector_ids json,
  model json,
  fallback_model json,
  allow_silence boolean not null,
  cost_per_day double precision,
  paused_at timestamp with time zone,
  pause_reason text,
  resumed_at timestamp with time zone not null default now(),
  next_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  created_by text,
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  PRIMARY KEY (id),
  CHECK ((ceiling = ANY (ARRAY['read'::text, 'write'::text, 'destructive'::text]))),
  CHECK (((cron IS NULL) <> (at IS NULL))),
  CHECK ((if_missed = ANY (ARRAY['skip'::text, 'run'::text]))),
  CHECK ((overlap = ANY (ARRAY['skip'::text, 'wait'::text]))),
  CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text, 'deleted'::text]))),
  CHECK ((thread = ANY (ARRAY['new'::text, 'same'::text])))
);
CREATE INDEX schedules_due ON schedules USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE UNIQUE INDEX schedules_of_thread ON schedules USING btree (thread_id) WHERE ((thread_id IS NOT NULL) AND (next_at IS NOT NULL));

-- Something that arrived and was accepted; stored before its sender gets an answer (states: src/events/inbox/event-transitions.ts). Written by events.
create table events (
  id text not null,
  source_id text not null,
  run_id text not null,
  trigger text not null default 'webhook'::text,
  status text not null,
  parked boolean not null default false,
  received_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  scheduled_at timestamp with time zone,
  message_id text,
  verdict json,
  note text,
  thread_key text,
  due_at timestamp with time zone,
  joined_to text,
  sender_address text not null,
  headers json not null,
  content_type text,
  delivery_id text,
  verification text not null,
  size_bytes integer not null,
  body bytea,
  payload bytea,
  erased_at timestamp with time zone,
  PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_insert_scale_factor=0.1, autovacuum_analyze_scale_factor=0.05);
CREATE INDEX events_waiting ON events USING btree (source_id, id) WHERE (status = 'accepted'::text);
CREATE INDEX events_of_source ON events USING btree (source_id, id) WHERE (status <> 'accepted'::text);
CREATE INDEX events_at_work ON events USING btree (source_id) WHERE ((status = 'dispatched'::text) AND (NOT parked));
CREATE INDEX events_by_status ON events USING btree (status, id) WHERE (status <> 'accepted'::text);
CREATE INDEX events_of_source_by_status ON events USING btree (source_id, status, id) WHERE (status <> 'accepted'::text);
CREATE UNIQUE INDEX events_by_due_time ON events USING btree (source_id, scheduled_at) WHERE (scheduled_at IS NOT NULL);
CREATE INDEX events_of_open_key ON events USING btree (source_id, thread_key, id) WHERE ((thread_key IS NOT NULL) AND (status = ANY (ARRAY['accepted'::text, 'dispatched'::text])));
CREATE INDEX events_joined ON events USING btree (joined_to) WHERE (joined_to IS NOT NULL);
CREATE INDEX events_settled_without_run ON events USING btree (settled_at) WHERE (status = ANY (ARRAY['skipped'::text, 'notified'::text, 'joined'::text, 'missed'::text]));

-- By which a repeated delivery is recognised for seven days. Written by events.
create table delivery_keys (
  key uuid not null,
  event_id text not null,
  created_at timestamp with time zone not null,
  PRIMARY KEY (key)
);

-- What changes with every delivery of a webhook. Whoever accepts its events locks this row until commit. Written by events.
create table webhook_traffic (
  webhook_id text not null,
  refilled_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  accepted bigint not null default 0,
  last_event_at timestamp with time zone,
  refused bigint not null default 0,
  last_refused_at timestamp with time zone,
  PRIMARY KEY (webhook_id),
  FOREIGN KEY (webhook_id) REFERENCES webhooks(id)
) with (fillfactor=50);

-- The tools that runs were offered, exactly as the model saw them. Most runs share one set. Written by runs.
create table tool_sets (
  digest text not null,
  tools text not null,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone not null default now(),
  PRIMARY KEY (digest)
);

-- The agent at work on one event, message or request (states: src/runs/loop/run.ts). Written by runs.
create table runs (
  id text not null,
  trigger text not null,
  source_id text,
  thread_source_id text,
  event_id text,
  message_id text,
  replay_of text,
  channel_id text,
  thread_id text,
  dry boolean not null default false,
  recorded_reads boolean not null default false,
  rehearsal_id text,
  source_revision integer,
  settings_revision integer,
  requester json not null,
  ceiling text,
  connector_ids json,
  allow_silence boolean not null default false,
  reads_across text not null default 'all'::text,
  prompt text not null,
  system text not null,
  model_provider text not null,
  model_name text not null,
  delimiter text not null,
  tool_set text not null,
  turn_note text not null default ''::text,
  thread_context text,
  status text not null,
  error_code text,
  error_message text,
  steps integer not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost double precision not null default 0,
  work_ms bigint not null default 0,
  model_failures integer not null default 0,
  model_attempts json not null default '[]'::json,
  model_silent_since timestamp with time zone,
  tries integer not null default 0,
  resume_at timestamp with time zone,
  plan text,
  fence bigint not null default 0,
  lease_until timestamp with time zone,
  asked_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  erased_at timestamp with time zone,
  final_cost double precision default 
CASE
    WHEN (ended_at IS NOT NULL) THEN cost
    ELSE NULL::double precision
END,
  took interval default (ended_at - started_at),
  PRIMARY KEY (id),
  FOREIGN KEY (tool_set) REFERENCES tool_sets(digest),
  CHECK ((ceiling = ANY (ARRAY['read'::text, 'write'::text, 'destructive'::text]))),
  CHECK ((plan = ANY (ARRAY['open'::text, 'sealed'::text]))),
  CHECK ((reads_across = ANY (ARRAY['all'::text, 'one'::text]))),
  CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
  CHECK ((trigger = ANY (ARRAY['webhook'::text, 'schedule'::text, 'watch'::text, 'chat'::text, 'replay'::text, 'test'::text, 'mcp'::text])))
);
CREATE INDEX runs_by_source ON runs USING btree (source_id, id) WHERE (source_id IS NOT NULL);
CREATE INDEX runs_by_channel ON runs USING btree (channel_id, id);
CREATE INDEX runs_by_event ON runs USING btree (event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX runs_by_thread ON runs USING btree (thread_id) WHERE (thread_id IS NOT NULL);
CREATE UNIQUE INDEX runs_by_message ON runs USING btree (message_id) WHERE ((message_id IS NOT NULL) AND (NOT dry));
CREATE INDEX runs_by_tool_set ON runs USING btree (tool_set);
CREATE INDEX runs_active ON runs USING btree (id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text]));
CREATE INDEX runs_failed ON runs USING btree (status, id) WHERE (status = ANY (ARRAY['failed'::text, 'cancelled'::text]));
CREATE INDEX runs_failed_of_source ON runs USING btree (source_id, status, id) WHERE (status = ANY (ARRAY['failed'::text, 'cancelled'::text]));
CREATE INDEX runs_failed_of_channel ON runs USING btree (channel_id, status, id) WHERE (status = ANY (ARRAY['failed'::text, 'cancelled'::text]));
CREATE INDEX runs_of_source_by_age ON runs USING btree (source_id, created_at) WHERE ((source_id IS NOT NULL) AND (NOT dry));
CREATE INDEX runs_by_end ON runs USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX runs_by_cost ON runs USING btree (final_cost, id) WHERE ((final_cost IS NOT NULL) AND (rehearsal_id IS NULL));
CREATE INDEX runs_by_length ON runs USING btree (took, id) WHERE ((took IS NOT NULL) AND (rehearsal_id IS NULL));
CREATE INDEX runs_with_open_plan ON runs USING btree (id) WHERE (plan = 'open'::text);
CREATE INDEX runs_of_rehearsal ON runs USING btree (rehearsal_id) WHERE (rehearsal_id IS NOT NULL);

-- One call of the model. Written by runs.
create table run_steps (
  run_id text not null,
  seq integer not null,
  answer text not null,
  calls text not null,
  results text,
  finish_reason text not null,
  model_provider text not null default ''::text,
  model_name text not null default ''::text,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  cost double precision not null default 0,
  model_ms integer not null default 0,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  PRIMARY KEY (run_id, seq),
  FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
);

-- The reply of a run, stored before it is posted, so that posting can be tried again without the model. Written by runs.
create table replies (
  run_id text not null,
  kind text not null,
  text text not null,
  state text not null,
  message_id text,
  permalink text,
  tries integer not null default 0,
  problem text,
  created_at timestamp with time zone not null default now(),
  posted_at timestamp with time zone,
  PRIMARY KEY (run_id),
  FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE,
  CHECK ((kind = ANY (ARRAY['answer'::text, 'notice'::text, 'silence'::text]))),
  CHECK ((state = ANY (ARRAY['pending'::text, 'posted'::text, 'withheld'::text])))
);
CREATE INDEX replies_pending ON replies USING btree (created_at) WHERE (state = 'pending'::text);

-- The thread in which the events of one source with one key are answered. Written by runs.
create table event_threads (
  source_id text not null,
  thread_key text not null,
  channel_id text not null,
  message_id text not null,
  opened_at timestamp with time zone not null default now(),
  closed_at timestamp with time zone,
  PRIMARY KEY (source_id, thread_key, channel_id),
  FOREIGN KEY (channel_id) REFERENCES channels(id) ON DELETE CASCADE
);
CREATE INDEX event_threads_by_age ON event_threads USING btree (opened_at);

-- A model that does not answer at present; the row is deleted when it answers again. Written by runs.
create table model_outages (
  provider text not null,
  name text not null,
  since timestamp with time zone not null default now(),
  problem text not null,
  fallback_until timestamp with time zone,
  failed_runs integer not null default 0,
  held_at timestamp with time zone,
  probe_at timestamp with time zone,
  channel_id text,
  PRIMARY KEY (provider, name)
);

-- What became of one tool call of a dry run; the input is in its step. Written by runs.
create table dry_calls (
  call_id text not null,
  run_id text not null,
  capability text not null,
  answered text not null,
  would text,
  recorded_call_id text,
  PRIMARY KEY (call_id),
  FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE,
  CHECK ((answered = ANY (ARRAY['live'::text, 'recorded'::text, 'not_recorded'::text, 'stopped'::text, 'refused'::text]))),
  CHECK ((capability = ANY (ARRAY['read'::text, 'write'::text, 'destructive'::text]))),
  CHECK ((would = ANY (ARRAY['send'::text, 'ask'::text, 'refuse'::text])))
);
CREATE INDEX dry_calls_of_run ON dry_calls USING btree (run_id);

-- What one person thinks of the reply of a run. Written by chat.
create table thumbs (
  run_id text not null,
  person_id text not null,
  person_name text not null,
  thumb text not null,
  reason text,
  note text,
  rated_at timestamp with time zone not null default now(),
  PRIMARY KEY (run_id, person_id),
  FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE,
  CHECK ((thumb = ANY (ARRAY['up'::text, 'down'::text])))
);
CREATE INDEX thumbs_by_kind ON thumbs USING btree (thumb, run_id);

-- One request of the agent to use a tool (states: src/tools/tool-call.ts). Written by tools.
create table tool_calls (
  id text not null,
  run_id text not null,
  name text not null,
  connector_id text,
  tool_id text,
  tool_revision integer,
  capability text,
  input text not null,
  state text not null,
  decision text not null,
  reason text,
  approval_id text,
  request text,
  response_status integer,
  response_content_type text,
  response_headers text,
  response_body text,
  response_blocks text,
  response_images text,
  error_code text,
  error_message text,
  warnings text[] not null default '{}'::text[],
  started_at timestamp with time zone not null default now(),
  sent_at timestamp with time zone,
  ended_at timestamp with time zone,
  PRIMARY KEY (id),
  CHECK ((state = ANY (ARRAY['waiting'::text, 'sending'::text, 'answered'::text, 'refused'::text, 'unknown'::text])))
);
CREATE INDEX tool_calls_of_run ON tool_calls USING btree (run_id, id);
CREATE INDEX tool_calls_of_tool ON tool_calls USING btree (tool_id, run_id) WHERE (tool_id IS NOT NULL);

-- A question to the admins about one tool call. The card in the channel only shows this row. Written by approvals.
create table approvals (
  id text not null,
  kind text not null,
  status text not null,
  run_id text not null,
  call_id text not null,
  tool text not null,
  tool_id text not null,
  connector_id text not null,
  capability text not null,
  request text not null,
  digest text not null,
  tool_version integer not null,
  connector_version integer not null,
  requested_by json not null,
  approvers text[] not null default '{}'::text[],
  approvals_needed integer not null default 1,
  requester_may_approve boolean,
  escalate json not null default '[]'::json,
  escalated integer not null default 0,
  channel_id text not null,
  thread_id text,
  message_id text,
  list_key text,
  policy_id text,
  policy_says text,
  policy_amount numeric,
  policy_shadow boolean not null default false,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  reminded_at timestamp with time zone,
  decided_by json,
  decided_at timestamp with time zone,
  reason text,
  reported_at timestamp with time zone,
  edits integer not null default 0,
  edited_input text,
  edited_by json,
  edited_at timestamp with time zone,
  PRIMARY KEY (id),
  UNIQUE (call_id),
  CHECK (((approvals_needed >= 1) AND (approvals_needed <= 5))),
  CHECK ((kind = ANY (ARRAY['approve'::text, 'confirm'::text]))),
  CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text, 'expired'::text, 'void'::text])))
);
CREATE INDEX approvals_pending ON approvals USING btree (expires_at) WHERE (status = 'pending'::text);
CREATE INDEX approvals_by_status ON approvals USING btree (status, id DESC);
CREATE INDEX approvals_of_run ON approvals USING btree (run_id);
CREATE INDEX approvals_of_connector ON approvals USING btree (connector_id) WHERE (status = 'pending'::text);
CREATE INDEX approvals_of_list ON approvals USING btree (list_key) WHERE (list_key IS NOT NULL);
CREATE INDEX approvals_of_thread ON approvals USING btree (thread_id) WHERE (thread_id IS NOT NULL);
CREATE INDEX approvals_of_card ON approvals USING btree (message_id) WHERE (message_id IS NOT NULL);
CREATE INDEX approvals_to_report ON approvals USING btree (decided_at) WHERE ((reported_at IS NULL) AND ((decided_by ->> 'kind'::text) = 'policy'::text));
CREATE INDEX approvals_of_policy ON approvals USING btree (policy_id, id DESC) WHERE (policy_id IS NOT NULL);

-- One of the approvals that a call needs. Written by approvals.
create table approvals_given (
  approval_id text not null,
  edition integer not null,
  person_id text not null,
  given_by json not null,
  given_at timestamp with time zone not null default now(),
  PRIMARY KEY (approval_id, edition, person_id),
  FOREIGN KEY (approval_id) REFERENCES approvals(id) ON DELETE CASCADE
);

-- Who approves the calls of a tool; a tool without a row is approved by an admin. Written by approvals.
create table tool_approvers (
  tool_id text not null,
  approvers text[] not null,
  approvals_needed integer not null,
  requester_may_approve boolean,
  escalate json not null,
  PRIMARY KEY (tool_id),
  FOREIGN KEY (tool_id) REFERENCES tools(id) ON DELETE CASCADE,
  CHECK (((approvals_needed >= 1) AND (approvals_needed <= 5)))
);

-- What an MCP server asks a person in the middle of a call. Written by tools.
create table questions (
  id text not null,
  call_id text not null,
  run_id text not null,
  connector_name text not null,
  user_id text not null,
  channel_id text not null,
  thread_id text not null,
  message text not null,
  schema text,
  url text,
  state text not null,
  answer text,
  message_id text,
  created_at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone not null,
  PRIMARY KEY (id),
  CHECK (((schema IS NULL) <> (url IS NULL))),
  CHECK ((state = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text, 'ended'::text])))
);
CREATE INDEX questions_of_run ON questions USING btree (run_id);
CREATE INDEX questions_of_user ON questions USING btree (user_id, id DESC) WHERE (state = 'pending'::text);

-- A rule about the calls of one tool: automatic, approve, confirm or deny. Written by policies.
create table policies (
  id text not null,
  position integer not null,
  name text not null,
  tool text not null,
  tool_id text not null,
  tool_version integer not null,
  connector_version integer not null,
  condition text not null,
  decision text not null,
  requesters text[],
  webhook_ids text[],
  channel_ids text[],
  cap_calls integer,
  cap_per text,
  cap_sum_of text,
  cap_sum_max numeric,
  until timestamp with time zone,
  approvers text[],
  approvals_needed integer,
  requester_may_approve boolean,
  escalate json,
  state text not null,
  paused_reason text,
  created_by json not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  CHECK (((approvals_needed >= 1) AND (approvals_needed <= 5))),
  CHECK ((cap_per = ANY (ARRAY['hour'::text, 'day'::text]))),
  CHECK (((decision <> 'auto'::text) OR (cap_calls IS NOT NULL))),
  CHECK ((decision = ANY (ARRAY['auto'::text, 'approve'::text, 'confirm'::text, 'deny'::text]))),
  CHECK ((state = ANY (ARRAY['active'::text, 'shadow'::text, 'paused'::text])))
);
CREATE INDEX policies_of_tool ON policies USING btree (tool_id, "position");

-- A process that shares this database, as it reports every few seconds. Written by status.
create table replicas (
  id text not null,
  role text not null,
  version text not null,
  started_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  CHECK ((role = ANY (ARRAY['all'::text, 'web'::text, 'worker'::text])))
);

-- One row: which past hours are counted in hour_figures. Written by status.
create table counted_hours (
  id boolean not null default true,
  first_hour bigint not null default 0,
  last_hour bigint not null default '-1'::integer,
  counted_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  PRIMARY KEY (id),
  CHECK (id)
);

-- The figures of a webhook and a model in one hour. Written by status.
create table hour_figures (
  hour bigint not null,
  source_id text not null,
  model text not null default ''::text,
  events integer not null,
  succeeded integer not null,
  failed integer not null,
  cancelled integer not null,
  skipped integer not null default 0,
  notified integer not null default 0,
  joined integer not null default 0,
  missed integer not null default 0,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost double precision not null,
  time_classes integer[] not null,
  time_counts integer[] not null,
  PRIMARY KEY (hour, source_id, model)
);

-- One row: up to when runs are counted in day_figures. Written by status.
create table counted_days (
  id boolean not null default true,
  counted_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  PRIMARY KEY (id),
  CHECK (id)
);

-- What a tool, source, model or channel did in one day. Written by status.
create table day_figures (
  day integer not null,
  kind text not null,
  key text not null,
  name text,
  calls integer not null,
  failed integer not null,
  cost double precision not null default 0,
  asked integer not null default 0,
  denied integer not null default 0,
  time_classes integer[] not null,
  time_counts integer[] not null,
  PRIMARY KEY (kind, day, key),
  CHECK ((kind = ANY (ARRAY['source'::text, 'model'::text, 'channel'::text, 'tool'::text, 'revision'::text])))
);

-- An Ed25519 key that signs receipts and heads of the audit log. Written by receipts.
create table signing_keys (
  id text not null,
  public_key text not null,
  sealed text,
  created_at timestamp with time zone not null default now(),
  retired_at timestamp with time zone,
  PRIMARY KEY (id),
  CHECK (((sealed IS NULL) = (retired_at IS NOT NULL)))
);
CREATE UNIQUE INDEX signing_keys_active ON signing_keys USING btree (((retired_at IS NULL))) WHERE (retired_at IS NULL);

-- What a target was sent as proof of an approval. Written by receipts.
create table receipts (
  approval_id text not null,
  key_id text not null,
  receipt text not null,
  issued_at timestamp with time zone not null,
  PRIMARY KEY (approval_id),
  FOREIGN KEY (approval_id) REFERENCES approvals(id) ON DELETE CASCADE
);

-- A change that is tried on past events of a webhook or schedule before it is saved. Written by rehearsals.
create table rehearsals (
  id text not null,
  source_id text not null,
  source_name text not null,
  change json not null,
  reads text not null,
  is_drill boolean not null default false,
  budget double precision not null,
  status text not null,
  problem text,
  created_by json not null,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  PRIMARY KEY (id),
  CHECK ((reads = ANY (ARRAY['recorded'::text, 'live'::text]))),
  CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'cancelled'::text, 'failed'::text])))
);
CREATE INDEX rehearsals_of_source ON rehearsals USING btree (source_id, id);
CREATE INDEX rehearsals_active ON rehearsals USING btree (id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

-- One event of a rehearsal, with its run before and its run with the change; texts stay with the runs. Written by rehearsals.
create table rehearsed_events (
  rehearsal_id text not null,
  position integer not null,
  event_id text not null,
  before_run_id text,
  run_id text,
  ruled text,
  outcome text,
  injection text,
  checks json,
  PRIMARY KEY (rehearsal_id, "position"),
  UNIQUE (rehearsal_id, event_id),
  FOREIGN KEY (rehearsal_id) REFERENCES rehearsals(id) ON DELETE CASCADE,
  CHECK ((outcome = ANY (ARRAY['same'::text, 'replyDiffers'::text, 'newWrite'::text, 'writeGone'::text, 'notRecorded'::text, 'failed'::text]))),
  CHECK ((ruled = ANY (ARRAY['skipped'::text, 'notified'::text])))
);
CREATE INDEX rehearsed_events_of_case ON rehearsed_events USING btree (event_id) WHERE (checks IS NOT NULL);

-- An event with checks on what the agent does with it. The event and its runs are kept as long as the case. Written by rehearsals.
create table cases (
  id text not null,
  source_id text not null,
  event_id text not null,
  name text not null,
  checks json not null,
  created_by json not null,
  created_at timestamp with time zone not null default now(),
  erased_at timestamp with time zone,
  PRIMARY KEY (id),
  UNIQUE (event_id)
);
CREATE INDEX cases_of_source ON cases USING btree (source_id, id);

-- That the latest events of a webhook are rehearsed with another model every night. Written by rehearsals.
create table nightly_rehearsals (
  source_id text not null,
  model json not null,
  budget double precision not null,
  next_at timestamp with time zone not null,
  rehearsal_id text,
  problem text,
  created_by json not null,
  PRIMARY KEY (source_id)
);
CREATE INDEX nightly_rehearsals_due ON nightly_rehearsals USING btree (next_at);

-- One save of a webhook, schedule, tool, policy or the settings; the last 100 of each are kept. Written by revisions.
create table revisions (
  subject text not null,
  n integer not null,
  document json not null,
  saved_by json,
  saved_at timestamp with time zone not null default now(),
  changed_secrets text[] not null default '{}'::text[],
  restored_from integer,
  PRIMARY KEY (subject, n)
);
