-- What an admin decided in advance about the calls of one tool.

create table policies (
  id                    text primary key,
  -- The lowest is asked first; the first whose condition is true decides.
  position              int not null,
  name                  text not null,
  -- The name that the model uses, and the version that the policy was written for. An edit of either stops it.
  tool                  text not null,
  tool_id               text not null,
  tool_version          int not null,
  connector_version     int not null,
  -- CEL over input, tool and requester.
  condition             text not null,
  decision              text not null check (decision in ('auto', 'approve', 'confirm', 'deny')),
  -- Null: all of them. An automatic yes for a webhook or a schedule must name it.
  requesters            text[],
  webhook_ids           text[],
  channel_ids           text[],
  cap_calls             int,
  cap_per               text check (cap_per in ('hour', 'day')),
  -- A JSON pointer into the input, and the most that its values may add up to.
  cap_sum_of            text,
  cap_sum_max           numeric,
  until                 timestamptz,
  -- Null: as the tool says.
  approvers             text[],
  approvals_needed      int check (approvals_needed between 1 and 5),
  requester_may_approve boolean,
  escalate              json,
  state                 text not null check (state in ('active', 'shadow', 'paused')),
  paused_reason         text,
  created_by            json not null,
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  check (decision <> 'auto' or cap_calls is not null)
);
comment on table policies is 'A rule about the calls of one tool: automatic, approve, confirm or deny. Written by policies.';
create index policies_of_tool on policies (tool_id, position);
