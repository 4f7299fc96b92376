-- One row per request of the agent to use a tool. Life in src/tools/tool-call.ts.
create table tool_calls (
  id            text primary key,
  run_id        text not null,
  name          text not null,
  connector_id  text,
  tool_id       text,
  capability    text,
  -- What the model gave, as it gave it.
  input         text not null,
  state         text not null check (state in ('waiting', 'sending', 'answered', 'refused', 'unknown')),
  -- run, ask-admin or refuse, with the reason in words.
  decision      text not null,
  reason        text,
  approval_id   text,
  -- The request that was (or will be) sent, secrets masked: {method,url,headers,body}.
  request       text,
  response_status       int,
  response_content_type text,
  response_body         text,
  -- What was handed to the model besides the text: [{mediaType,base64}].
  response_images       text,
  error_code    text,
  error_message text,
  warnings      text[] not null default '{}',
  started_at    timestamptz not null default now(),
  ended_at      timestamptz
);
create index tool_calls_of_run on tool_calls (run_id, id);
