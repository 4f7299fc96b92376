-- Who may come in: people, their sessions and one-time links, and API keys for programs.

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
  -- The 30-second step of the last accepted code: a code that was seen by somebody else does not work again.
  totp_last_step    integer not null default 0,
  created_at        timestamptz not null default now()
);

create unique index users_email on users (lower(email));

-- Each works once, in place of a code from the app.
create table recovery_codes (
  user_id   text not null references users on delete cascade,
  code_hash text not null,
  primary key (user_id, code_hash)
);

-- The cookie holds the token, the table only its SHA-256: whoever reads the table cannot become anybody.
create table sessions (
  id           text primary key,
  user_id      text not null references users on delete cascade,
  token_hash   text not null unique,
  user_agent   text,
  source       text not null,
  created_at   timestamptz not null default now(),
  last_used_at timestamptz not null default now()
);

create index sessions_user on sessions (user_id);

-- A link is deleted when it is used, so a second use finds nothing.
create table one_time_links (
  token_hash text primary key,
  kind       text not null check (kind in ('setup', 'invitation', 'password-reset')),
  user_id    text references users on delete cascade,
  expires_at timestamptz not null,
  check ((kind = 'setup') = (user_id is null))
);

create index one_time_links_user on one_time_links (user_id);

create table api_keys (
  id           text primary key,
  name         text not null,
  role         text not null check (role in ('member', 'operator', 'admin')),
  key_hash     text not null unique,
  -- The first characters, so that a person can tell keys apart.
  start        text not null,
  created_by   text not null,
  created_at   timestamptz not null default now(),
  last_used_at timestamptz,
  -- A revoked key stays as a row: API_KEY in the environment cannot bring it back at the next start.
  revoked_at   timestamptz
);

-- Attempts to guess, per account and per source address: the time at which a full burst is free again (GCRA).
create table sign_in_attempts (
  key        text primary key,
  settled_at timestamptz not null
);
