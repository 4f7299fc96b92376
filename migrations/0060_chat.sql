-- Where people and the agent talk: workspaces, their channels, and every message that Bellhop has a part in.

create table workspaces (
  id                 text primary key,
  platform           text not null check (platform in ('built-in', 'slack', 'discord', 'teams', 'telegram', 'google-chat')),
  name               text not null,
  -- What is no secret: another API address, and what the platform told about us (team, bot user).
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

create table channels (
  id           text primary key,
  workspace_id text not null references workspaces,
  name         text not null,
  kind         text not null default 'channel' check (kind in ('channel', 'direct')),
  -- The platform's own id; null in the built-in workspace.
  external_id  text,
  -- Counts the changes in the channel. Whoever writes a message holds this row until commit, so the numbers become
  -- visible in order, and a stream can be resumed after any of them.
  last_seq     integer not null default 0,
  created_at   timestamptz not null default now(),
  created_by   text,
  deleted_at   timestamptz
);

create unique index channels_external on channels (workspace_id, external_id) where external_id is not null;
create unique index channels_name on channels (workspace_id, lower(name)) where external_id is null and deleted_at is null;

create table messages (
  id            text primary key,
  channel_id    text not null references channels,
  -- Null at the top level, else the message that the thread hangs on.
  thread_id     text references messages,
  author_kind   text not null check (author_kind in ('agent', 'user', 'system')),
  -- A user's id; for somebody whose chat account is not linked, the workspace and the account.
  author_id     text,
  author_name   text not null,
  text          text not null,
  -- An approval as it is shown; the approval itself lives elsewhere.
  card          json,
  run_id        text,
  -- Whoever posts with the same key again gets the message that is there.
  post_key      text,
  -- The platform's own id of the (first part of the) message.
  external_id   text,
  permalink     text,
  -- What became of a message on its way to an outside platform.
  delivery      text not null default 'sent' check (delivery in ('sending', 'sent', 'ambiguous', 'failed')),
  created_seq   integer not null,
  seq           integer not null,
  created_at    timestamptz not null default now(),
  edited_at     timestamptz
);

create unique index messages_post_key on messages (channel_id, post_key) where post_key is not null;
create unique index messages_external on messages (channel_id, external_id) where external_id is not null;
create index messages_created on messages (channel_id, created_seq desc);
create index messages_changed on messages (channel_id, seq);
create index messages_thread on messages (thread_id, created_seq) where thread_id is not null;
create index messages_author on messages (author_id) where author_id is not null;
create index messages_run on messages (run_id) where run_id is not null;
-- Very long texts are found by their beginning; the index has a size limit that must never refuse a reply.
create index messages_search on messages using gin (to_tsvector('simple', left(text, 20000)));

-- A message as it is cut for an outside platform. An attempt is written down before the request leaves:
-- a part with an attempt and without an id may or may not be there, so it is looked for before it is sent again.
create table message_parts (
  message_id   text not null references messages on delete cascade,
  part         integer not null,
  text         text not null,
  external_id  text,
  attempted_at timestamptz,
  -- Until then nobody else may send this part.
  leased_until timestamptz,
  primary key (message_id, part)
);

create index message_parts_external on message_parts (external_id) where external_id is not null;

create table read_marks (
  user_id    text not null,
  channel_id text not null references channels on delete cascade,
  seq        integer not null,
  primary key (user_id, channel_id)
);

-- A fresh install has a channel to post to.
insert into workspaces (id, platform, name)
  values ('wsp_00000000-0000-7000-8000-000000000001', 'built-in', 'Bellhop');
insert into channels (id, workspace_id, name)
  values ('chan_00000000-0000-7000-8000-000000000001', 'wsp_00000000-0000-7000-8000-000000000001', 'general');
