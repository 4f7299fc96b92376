-- Who decides: groups of people, what a tool needs, and who has approved.

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

-- Null: as the tool says.
alter table policies
  add column approvers text[],
  add column approvals_needed int check (approvals_needed between 1 and 5),
  add column requester_may_approve boolean,
  add column escalate json;

-- As the tool and the policy said when the question was asked. `escalated`: how many steps of `escalate` were taken.
alter table approvals
  add column approvers text[] not null default '{}',
  add column approvals_needed int not null default 1 check (approvals_needed between 1 and 5),
  add column requester_may_approve boolean,
  add column escalate json not null default '[]',
  add column escalated int not null default 0;

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

-- Ids of user groups in Slack that the message mentions.
alter table messages add column mentions text[] not null default '{}';
