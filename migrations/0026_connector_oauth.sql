-- OAuth of connectors: what was configured, what was granted, and sign-ins that have begun.

alter table connectors drop constraint connectors_auth_type_check;
alter table connectors add constraint connectors_auth_type_check
  check (auth_type in ('none', 'bearer', 'api_key', 'basic', 'query', 'oauth', 'oauth_client'));
-- JSON text: addresses, client id, scopes and the like.
alter table connectors add column oauth text;
-- Sealed by the vault: the secret of the client.
alter table connectors add column oauth_secret text;

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
