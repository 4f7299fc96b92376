-- Who may come in: people and their groups, their sessions and one-time links, API keys for programs, and what they did.

create table users (
  id                text primary key,
  email             text not null,
  name              text not null,
  role              text not null check (role in ('member', 'operator', 'admin')),
  -- scrypt with its parameters. Null until an invitation is accepted: nobody can sign in as this user yet.
  password_hash     text,
  disabled_at       timestamptz,
  -- Sealed by the vault. It counts only once it is confirmed with a first code.
  totp_secret       text,
  totp_confirmed_at timestamptz,
  -- The 30-second step of the last accepted code: a code that somebody else saw does not work again.
  totp_last_step    integer not null default 0,
  created_at        timestamptz not null default now(),
  -- In which language the dashboard writes dates and numbers for a person; null: that of the texts.
  locale            text
);
comment on table users is 'A person who can sign in, or was invited to. Written by accounts.';
create unique index users_email on users (lower(email));

create table recovery_codes (
  user_id   text not null references users on delete cascade,
  code_hash text not null,
  primary key (user_id, code_hash)
);
comment on table recovery_codes is 'A code that works once in place of one from the authenticator app. Written by accounts.';

create table sessions (
  id           text primary key,
  user_id      text not null references users on delete cascade,
  token_hash   text not null unique,
  user_agent   text,
  source       text not null,
  created_at   timestamptz not null default now(),
  last_used_at timestamptz not null default now()
);
comment on table sessions is 'A signed-in browser. The cookie has the token, the row only its SHA-256. Written by accounts.';
create index sessions_user on sessions (user_id);

create table saved_views (
  id      text primary key,
  user_id text not null references users on delete cascade,
  -- What the dashboard calls the list.
  list    text not null,
  name    text not null,
  -- Filters and order, as in the address of the page.
  query   text not null,
  -- The columns that are shown or hidden otherwise than usual.
  columns text[] not null,
  unique (user_id, list, name)
);
comment on table saved_views is 'Filters, order and columns of a list, as a person keeps them under a name. Written by accounts.';

create table one_time_links (
  token_hash text primary key,
  kind       text not null check (kind in ('setup', 'invitation', 'password-reset')),
  user_id    text references users on delete cascade,
  expires_at timestamptz not null,
  -- Who made the link, as the person it is for should read it; null: nobody who signed in.
  created_by text,
  check ((kind = 'setup') = (user_id is null))
);
comment on table one_time_links is 'An invitation or a reset of a password. It is deleted when it is used. Written by accounts.';
create index one_time_links_user on one_time_links (user_id);

create table api_keys (
  id               text primary key,
  name             text not null,
  role             text not null check (role in ('member', 'operator', 'admin')),
  key_hash         text not null unique,
  -- The first characters, so that a person can tell keys apart.
  start            text not null,
  created_by       text not null,
  created_by_id    text,
  -- The key of the variable API_KEY.
  from_environment boolean not null default false,
  created_at       timestamptz not null default now(),
  last_used_at     timestamptz,
  -- A revoked key stays as a row: API_KEY in the environment cannot bring it back at the next start.
  revoked_at       timestamptz
);
comment on table api_keys is 'A key with which a program calls the API, as its SHA-256. Written by accounts.';

create table sign_in_attempts (
  key         text primary key,
  -- When the whole burst is available again (GCRA): the limit's whole state.
  refilled_at timestamptz not null
);
comment on table sign_in_attempts is 'How many guesses an account or a source address has left. Written by accounts.';

create table oidc_provider (
  id             text primary key check (id = 'provider'),
  -- The label of the button.
  name           text not null,
  issuer         text not null,
  client_id      text not null,
  -- Sealed by the vault.
  client_secret  text not null,
  -- Null: only people who were invited may come in.
  new_users_role text check (new_users_role in ('member', 'operator'))
);
comment on table oidc_provider is 'The OpenID Connect provider that people sign in through, if there is one. Written by accounts.';

create table user_identities (
  issuer  text not null,
  subject text not null,
  user_id text not null references users on delete cascade,
  primary key (issuer, subject)
);
comment on table user_identities is 'Under which subject the provider knows a person. An address may change hands, a subject does not. Written by accounts.';
create index user_identities_user on user_identities (user_id);

create table groups (
  id               text primary key,
  name             text not null,
  -- The id of a user group in Slack, whose members are read at each click.
  slack_user_group text,
  -- A claim of the OpenID provider, as name=value; who has it is read when somebody signs in.
  oidc_claim       text,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now()
);
comment on table groups is 'People who may decide about calls together. Written by accounts.';
create unique index groups_name on groups (lower(name));

create table group_members (
  group_id text not null references groups on delete cascade,
  user_id  text not null references users on delete cascade,
  -- named: an admin put the person in; claim: the provider said so at the last sign-in.
  source   text not null check (source in ('named', 'claim')),
  primary key (group_id, user_id, source)
);
comment on table group_members is 'A person in a group. Written by accounts.';
create index group_members_user on group_members (user_id);

create table audit_log (
  id           text primary key,
  at           timestamptz not null default clock_timestamp(),
  actor_kind   text not null,
  actor_id     text not null,
  actor_name   text not null,
  action       text not null,
  subject      text,
  -- What it was called when it happened: names are copied, since the record outlives both.
  subject_name text,
  source       text,
  detail       json,
  -- The key under which the entry was written, and its proof that Bellhop wrote it.
  chain        text,
  mac          text,
  -- Its place in the chain, and the keyed hash over it, its proof and the hash before. Null until it is sealed, a moment after it is written.
  position     bigint,
  hash         text
);
comment on table audit_log is 'What somebody changed, and from where. Rows are only added. Written by accounts.';
create index audit_log_subject on audit_log (subject, id);
create index audit_log_actor on audit_log (actor_id, id);
create index audit_log_action on audit_log (action, id);
create index audit_log_noun on audit_log (split_part(action, '.', 1), id);
create unique index audit_log_chain on audit_log (chain, position) where position is not null;
create index audit_log_unsealed on audit_log (id) where chain is not null and position is null;

create table audit_keys (
  id              text primary key,
  -- Sealed by the vault: whoever has only the database cannot compute what an entry must carry.
  sealed          text not null,
  created_at      timestamptz not null default now(),
  -- The last entry of the chain, and the last one that was deleted for its age; keyed, so that neither can be set back by hand.
  position        bigint not null default 0,
  hash            text not null default '',
  pruned_position bigint not null default 0,
  pruned_hash     text not null default '',
  mac             text not null
);
comment on table audit_keys is 'A key of the audit log, and the chain that is kept under it. Written by accounts.';

create table audit_heads (
  -- In UTC.
  day        date primary key,
  chain      text not null,
  position   bigint not null,
  hash       text not null,
  -- A JWS over the above, signed with the key of receipts.
  head       text not null,
  created_at timestamptz not null default now()
);
comment on table audit_heads is 'How far the audit log had got on a day, signed. Written by accounts.';
