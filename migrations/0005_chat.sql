-- Where people and the agent talk: workspaces, their channels, messages with their files, and who is who on other platforms.

create table workspaces (
  id                 text primary key,
  platform           text not null
                     check (platform in ('built-in', 'slack', 'discord', 'teams', 'telegram', 'google-chat', 'mattermost')),
  name               text not null,
  -- What is not secret: another API address, and what the platform told about us (team, bot user).
  settings           json not null default '{}',
  -- One sealed JSON object with all tokens and secrets of the platform.
  sealed_credentials text,
  last_event_at      timestamptz,
  last_post_at       timestamptz,
  last_error         text,
  last_error_at      timestamptz,
  -- The platform refused our token: nothing is sent until an admin enters another one.
  revoked_at         timestamptz,
  -- Failures in a row. While paused nothing is sent, so that a platform that is down costs the others nothing.
  failures           integer not null default 0,
  paused_until       timestamptz,
  created_at         timestamptz not null default now(),
  created_by         text,
  deleted_at         timestamptz
);
comment on table workspaces is 'A chat platform that Bellhop is connected to; one of them is built in. Written by chat.';

create table channels (
  id             text primary key,
  workspace_id   text not null references workspaces,
  name           text not null,
  kind           text not null default 'channel' check (kind in ('channel', 'direct')),
  -- The platform's own id; null in the built-in workspace.
  external_id    text,
  -- What is said in a private channel of a platform is not shown to every member here.
  is_private     boolean not null default false,
  -- The connectors that the agent may use when it is asked in this channel; null is all of them.
  connector_ids  json,
  -- `one`: once a run about an event of a webhook that posts here has read from one connector, a call of another one asks an admin.
  reads_across   text not null default 'all' check (reads_across in ('all', 'one')),
  -- Whether the agent reads the rest of a thread that others began when it is mentioned there.
  thread_context text not null default 'all' check (thread_context in ('all', 'off')),
  -- Counts the changes in the channel. Whoever writes a message locks this row until commit, so the numbers become
  -- visible in order, and a stream can be resumed after any of them.
  last_seq       integer not null default 0,
  created_at     timestamptz not null default now(),
  created_by     text,
  deleted_at     timestamptz
);
comment on table channels is 'A channel or a direct conversation of a workspace. Written by chat.';
create unique index channels_external on channels (workspace_id, external_id) where external_id is not null;
create unique index channels_name on channels (workspace_id, lower(name)) where external_id is null and deleted_at is null;

create table messages (
  id           text primary key,
  channel_id   text not null references channels,
  -- Null at the top level, else the message that the thread hangs on.
  thread_id    text references messages,
  author_kind  text not null check (author_kind in ('agent', 'user', 'system')),
  -- A user's id; for somebody whose chat account is not linked, the workspace and the account.
  author_id    text,
  author_name  text not null,
  text         text not null,
  -- An approval as it is shown; the approval itself is in its own table.
  card         json,
  -- The event that a message answers, as it was called then: {source, eventId, title}. Null for what no event started.
  origin       json,
  -- Ids of user groups in Slack that the message mentions.
  mentions     text[] not null default '{}',
  -- What readers see of the files that are attached, as JSON.
  files        json,
  -- The answer of its run: people may rate it.
  is_reply     boolean not null default false,
  -- With a button that cancels the message's run, on platforms that have buttons.
  has_cancel   boolean not null default false,
  -- The message that this one answers, as the platform sent it along, until the run that reads it begins.
  replies_to   json,
  run_id       text,
  -- Whoever posts with the same key again gets the message that is there.
  post_key     text,
  -- The platform's own id of the (first part of the) message.
  external_id  text,
  permalink    text,
  -- What became of a message on its way to another platform.
  delivery     text not null default 'sent' check (delivery in ('sending', 'sent', 'ambiguous', 'failed')),
  created_seq  integer not null,
  seq          integer not null,
  -- The agent takes the messages of a thread in turn: what comes while it is busy there is held, and passed to it afterwards.
  held         boolean not null default false,
  announced_at timestamptz,
  created_at   timestamptz not null default now(),
  edited_at    timestamptz,
  -- The text is gone at once; the row stays while a thread hangs on it.
  deleted_at   timestamptz
);
comment on table messages is 'A message in a channel: of the agent, or of a person to it. Written by chat.';
create unique index messages_post_key on messages (channel_id, post_key) where post_key is not null;
create unique index messages_external on messages (channel_id, external_id) where external_id is not null;
create index messages_created on messages (channel_id, created_seq desc);
create index messages_changed on messages (channel_id, seq);
create index messages_thread on messages (thread_id, created_seq) where thread_id is not null;
create index messages_author on messages (author_id) where author_id is not null;
create index messages_run on messages (run_id) where run_id is not null;
create index messages_held on messages (channel_id, created_seq) where held;
-- Very long texts are found by their beginning; the index has a size limit that must never refuse a reply.
create index messages_search on messages using gin (to_tsvector('simple', left(text, 20000)));

create table reactions (
  message_id  text not null references messages on delete cascade,
  -- The short name of an emoji. Thumbs to a reply of the agent are in the table thumbs.
  name        text not null,
  person_id   text not null,
  person_name text not null,
  reacted_at  timestamptz not null default clock_timestamp(),
  primary key (message_id, name, person_id)
);
comment on table reactions is 'How one person reacted to a message in the built-in workspace. Written by chat.';

create table message_parts (
  message_id   text not null references messages on delete cascade,
  part         integer not null,
  text         text not null,
  -- The name under which the part is sent as a file; null for a message.
  file         text,
  external_id  text,
  -- Stored before the request is sent: a part with an attempt and without an id may have arrived, so it is searched for before it
  -- is sent again.
  attempted_at timestamptz,
  -- Until then nobody else may send this part.
  leased_until timestamptz,
  primary key (message_id, part)
);
comment on table message_parts is 'A message as it is split for another platform. Written by chat.';
create index message_parts_external on message_parts (external_id) where external_id is not null;
create index message_parts_leased on message_parts (message_id, part) where leased_until is not null;

create table read_marks (
  user_id    text not null,
  channel_id text not null references channels on delete cascade,
  seq        integer not null,
  starred    boolean not null default false,
  -- What counts as unread. mentions: mentions of the reader, and runs that failed; muted: nothing.
  notify     text not null default 'all' check (notify in ('all', 'mentions', 'muted')),
  primary key (user_id, channel_id)
);
comment on table read_marks is 'Up to where a person has read a channel, whether the person has starred it, and what of it counts as unread. Written by chat.';

create table inbound_messages (
  seq          bigint generated always as identity primary key,
  workspace_id text not null references workspaces,
  -- The platform's own name for what happened, so that a repeated delivery is recognised.
  event_key    text not null,
  thread_key   text not null,
  sender_id    text not null,
  -- What was read from the request; null once it is of no use.
  body         json,
  -- aside: nothing for us so far. If the thread turns out to be ours within a minute, it is read after all.
  state        text not null default 'waiting' check (state in ('waiting', 'done', 'aside', 'failed')),
  tries        integer not null default 0,
  error        text,
  received_at  timestamptz not null default now(),
  unique (workspace_id, event_key)
);
comment on table inbound_messages is 'What a platform sent, stored before it gets its answer. Those of one thread are read in order. Written by chat.';
create index inbound_messages_waiting on inbound_messages (workspace_id, thread_key, seq) where state in ('waiting', 'aside');
create index inbound_messages_received on inbound_messages (received_at);

create table chat_identities (
  workspace_id text not null references workspaces,
  external_id  text not null,
  user_id      text not null references users on delete cascade,
  name         text not null,
  linked_at    timestamptz not null default now(),
  linked_by    text not null,
  primary key (workspace_id, external_id)
);
comment on table chat_identities is 'The user behind an account of a platform: this gives a click a role. Written by chat.';
create index chat_identities_user on chat_identities (user_id);

create table chat_link_codes (
  code_hash  text primary key,
  user_id    text not null references users on delete cascade,
  expires_at timestamptz not null
);
comment on table chat_link_codes is 'A code that a signed-in user sends to the agent from a chat account, once and within minutes, to link it. Written by chat.';

create table chat_link_attempts (
  workspace_id text not null references workspaces,
  external_id  text not null,
  attempts     integer not null,
  since        timestamptz not null,
  primary key (workspace_id, external_id)
);
comment on table chat_link_attempts is 'How often a chat account has guessed a code. Written by chat.';

create table standing_connections (
  workspace_id text primary key references workspaces,
  -- The process that holds the connection, and until when nobody else may take it.
  holder       text not null,
  held_until   timestamptz not null,
  -- Since when the connection works; null while it does not.
  open_since   timestamptz,
  -- What the platform needs to resume where it was.
  session      json,
  -- All that was sent until then is stored. What came after it is fetched when a session cannot be resumed.
  seen_until   timestamptz
);
comment on table standing_connections is 'The connection over which a platform sends its events; one process holds it. Written by chat.';

create table message_files (
  id          text primary key,
  channel_id  text not null references channels,
  -- Null: uploaded in the built-in workspace, and not sent yet.
  message_id  text references messages on delete cascade,
  position    smallint not null default 0,
  name        text not null,
  size_bytes  integer,
  -- How its platform finds it; null once it was read.
  reference   json,
  -- By its bytes, whatever its name says; null if it is not known, or cannot be read.
  media_type  text,
  -- Of images, and of what was uploaded here.
  content     bytea,
  -- What the agent reads of any other file.
  text        text,
  -- Why it cannot be read, in words.
  problem     text,
  uploaded_by text,
  created_at  timestamptz not null default now()
);
comment on table message_files is 'A file that is attached to a message, as far as it can be read. Written by chat.';
create index message_files_of on message_files (message_id, position);
create index message_files_unsent on message_files (created_at) where message_id is null;

create table watches (
  channel_id    text primary key references channels,
  -- It shares its number with the channel, as an event does with its run.
  id            text not null unique generated always as ('watch_' || substr(channel_id, 6)) stored,
  state         text not null check (state in ('active', 'deleted')),
  -- Whose messages count: `apps`, `people` or both.
  written_by    text not null check (written_by in ('apps', 'people', 'all')),
  -- In CEL; null: every message.
  condition     text,
  prompt        text not null,
  ceiling       text not null check (ceiling in ('read', 'write', 'destructive')),
  -- A breach pauses it: messages are kept as events and start no run.
  runs_per_hour integer not null,
  paused_at     timestamptz,
  pause_reason  text,
  updated_at    timestamptz not null default now()
);
comment on table watches is 'A channel whose messages the agent reads as they come, and what it is to do. Written by chat.';

-- A new installation has a channel to post to.
insert into workspaces (id, platform, name)
  values ('wsp_00000000-0000-7000-8000-000000000001', 'built-in', 'Bellhop');
insert into channels (id, workspace_id, name)
  values ('chan_00000000-0000-7000-8000-000000000001', 'wsp_00000000-0000-7000-8000-000000000001', 'general');
