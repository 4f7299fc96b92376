create table questions (
  id             text primary key,
  call_id        text not null,
  run_id         text not null,
  connector_name text not null,
  -- The only person who may answer.
  user_id        text not null,
  channel_id     text not null,
  thread_id      text not null,
  -- In the server's words.
  message        text not null,
  -- A form, as JSON Schema; or a page to visit.
  schema         text,
  url            text,
  -- What is still pending after expires_at has expired.
  state          text not null check (state in ('pending', 'accepted', 'declined', 'ended')),
  -- Only until the server has it.
  answer         text,
  message_id     text,
  created_at     timestamptz not null default clock_timestamp(),
  expires_at     timestamptz not null,
  check ((schema is null) <> (url is null))
);
comment on table questions is 'What an MCP server asks a person in the middle of a call. Written by tools.';
create index questions_of_run on questions (run_id);
create index questions_of_user on questions (user_id, id desc) where state = 'pending';
