-- What outside platforms send, and who sent it.

-- Stored before the platform gets its answer; a job reads it. Rows of one thread are read in order.
create table inbound_messages (
  seq          bigint generated always as identity primary key,
  workspace_id text not null references workspaces,
  -- The platform's own name for what happened; a repeated delivery meets it again.
  event_key    text not null,
  thread_key   text not null,
  sender_id    text not null,
  -- What was read from the request; gone once it is of no use.
  body         json,
  -- aside: nothing for us so far. If the thread turns out to be ours within a minute, it is read after all.
  state        text not null default 'waiting' check (state in ('waiting', 'done', 'aside', 'failed')),
  tries        integer not null default 0,
  error        text,
  received_at  timestamptz not null default now(),
  unique (workspace_id, event_key)
);

create index inbound_messages_waiting on inbound_messages (workspace_id, thread_key, seq) where state in ('waiting', 'aside');
create index inbound_messages_received on inbound_messages (received_at);

-- A chat account and the user behind it: this is what gives a click a role.
create table chat_identities (
  workspace_id text not null references workspaces,
  external_id  text not null,
  user_id      text not null references users on delete cascade,
  name         text not null,
  linked_at    timestamptz not null default now(),
  linked_by    text not null,
  primary key (workspace_id, external_id)
);

create index chat_identities_user on chat_identities (user_id);

-- A signed-in user gets a code and sends it to the agent from the chat account. Used once, within minutes.
create table chat_link_codes (
  code_hash  text primary key,
  user_id    text not null references users on delete cascade,
  expires_at timestamptz not null
);

-- Guesses of codes, per chat account.
create table chat_link_attempts (
  workspace_id text not null references workspaces,
  external_id  text not null,
  attempts     integer not null,
  since        timestamptz not null,
  primary key (workspace_id, external_id)
);
