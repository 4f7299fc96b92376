-- What the agent asked to do, and the people it had to ask.

create table tool_calls (
  id                    text primary key,
  run_id                text not null,
  name                  text not null,
  connector_id          text,
  tool_id               text,
  -- Which revision of the tool; null if nothing had been saved yet.
  tool_revision         integer,
  capability            text,
  -- What the model gave, as it gave it.
  input                 text not null,
  state                 text not null check (state in ('waiting', 'sending', 'answered', 'refused', 'unknown')),
  -- run, ask-admin or refuse, with the reason in words.
  decision              text not null,
  reason                text,
  approval_id           text,
  -- The request that was (or will be) sent, secrets masked: {method,url,headers,body}.
  request               text,
  response_status       int,
  response_content_type text,
  -- The headers that say where to go on (Location, Link, Retry-After), one per line.
  response_headers      text,
  response_body         text,
  -- What an MCP server answered to a call of /mcp, block by block, as JSON: a client that waited for an approval reads it from here.
  response_blocks       text,
  -- What the model got besides the text: [{mediaType,base64}].
  response_images       text,
  error_code            text,
  error_message         text,
  warnings              text[] not null default '{}',
  started_at            timestamptz not null default now(),
  -- When the request was sent. A call that waited for a decision began long before; one that was refused was never sent.
  sent_at               timestamptz,
  ended_at              timestamptz
);
comment on table tool_calls is 'One request of the agent to use a tool (states: src/tools/tool-call.ts). Written by tools.';
create index tool_calls_of_run on tool_calls (run_id, id);
-- Which runs called a tool, and how a tool did of late.
create index tool_calls_of_tool on tool_calls (tool_id, run_id) where tool_id is not null;

create table approvals (
  id                    text primary key,
  kind                  text not null check (kind in ('approve', 'confirm')),
  status                text not null check (status in ('pending', 'approved', 'denied', 'expired', 'void')),
  run_id                text not null,
  call_id               text not null unique,
  tool                  text not null,
  tool_id               text not null,
  connector_id          text not null,
  capability            text not null,
  -- Exactly what will be sent, secrets masked: {method,url,headers,body}. The digest covers it; a yes is bound to both
  -- and to the versions of tool and connector.
  request               text not null,
  digest                text not null,
  tool_version          int not null,
  connector_version     int not null,
  requested_by          json not null,
  -- As the tool and the policy said when the question was asked. `escalated`: how many steps of `escalate` were taken.
  approvers             text[] not null default '{}',
  approvals_needed      int not null default 1 check (approvals_needed between 1 and 5),
  requester_may_approve boolean,
  escalate              json not null default '[]',
  escalated             int not null default 0,
  channel_id            text not null,
  thread_id             text,
  -- The card, once it is posted.
  message_id            text,
  -- Approvals with the same key are asked for in one message with a list instead of a card each.
  list_key              text,
  -- The policy that matched the call, what it says, and the amount that counts toward its cap. decided_by names it only if it decided.
  policy_id             text,
  policy_says           text,
  policy_amount         numeric,
  policy_shadow         boolean not null default false,
  created_at            timestamptz not null default now(),
  expires_at            timestamptz not null,
  reminded_at           timestamptz,
  decided_by            json,
  decided_at            timestamptz,
  reason                text,
  -- When the channel was told of an automatic yes, once its day was over.
  reported_at           timestamptz,
  -- An approver may change the input before somebody approves. The call keeps what the model gave; this is sent in its place.
  edits                 int not null default 0,
  edited_input          text,
  edited_by             json,
  edited_at             timestamptz
);
comment on table approvals is 'A question to the admins about one tool call. The card in the channel only shows this row. Written by approvals.';
create index approvals_pending on approvals (expires_at) where status = 'pending';
create index approvals_by_status on approvals (status, id desc);
create index approvals_of_run on approvals (run_id);
create index approvals_of_connector on approvals (connector_id) where status = 'pending';
create index approvals_of_list on approvals (list_key) where list_key is not null;
-- A card names earlier calls of the same tool in its thread; a turn lists the calls that wait in it.
create index approvals_of_thread on approvals (thread_id) where thread_id is not null;
create index approvals_of_card on approvals (message_id) where message_id is not null;
create index approvals_to_report on approvals (decided_at) where reported_at is null and decided_by ->> 'kind' = 'policy';
create index approvals_of_policy on approvals (policy_id, id desc) where policy_id is not null;

create table approvals_given (
  approval_id text not null references approvals on delete cascade,
  -- How often the request had been edited: what was approved before an edit does not count after it.
  edition     int not null,
  -- A person counts once, however they approve: an API key counts as its maker.
  person_id   text not null,
  given_by    json not null,
  given_at    timestamptz not null default now(),
  primary key (approval_id, edition, person_id)
);
comment on table approvals_given is 'One of the approvals that a call needs. Written by approvals.';

create table tool_approvers (
  tool_id               text primary key references tools on delete cascade,
  -- Ids of groups; empty: admins.
  approvers             text[] not null,
  approvals_needed      int not null check (approvals_needed between 1 and 5),
  -- Null: not for a destructive call, if enough others can.
  requester_may_approve boolean,
  -- [{afterMinutes,to}], the earliest first.
  escalate              json not null
);
comment on table tool_approvers is 'Who approves the calls of a tool; a tool without a row is approved by an admin. Written by approvals.';

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
