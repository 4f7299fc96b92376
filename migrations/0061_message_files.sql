-- Files that people attach to their messages.

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

-- What readers see of them, as JSON.
alter table messages add column files json;
