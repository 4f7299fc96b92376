-- A durable question to the admins about one tool call. The card in the channel is only a view of this row.
create table approvals (
  id                text primary key,
  kind              text not null check (kind in ('approve', 'confirm')),
  status            text not null check (status in ('pending', 'approved', 'denied', 'expired', 'void')),
  run_id            text not null,
  call_id           text not null unique,
  tool              text not null,
  tool_id           text not null,
  connector_id      text not null,
  capability        text not null,
  -- Exactly what will be sent, secrets masked: {method,url,headers,body}. The digest covers it; a yes is bound to both
  -- and to the versions of tool and connector.
  request           text not null,
  digest            text not null,
  tool_version      int not null,
  connector_version int not null,
  requested_by      json not null,
  channel_id        text not null,
  thread_id         text,
  -- The card, once it is posted.
  message_id        text,
  created_at        timestamptz not null default now(),
  expires_at        timestamptz not null,
  reminded_at       timestamptz,
  decided_by        json,
  decided_at        timestamptz,
  reason            text
);
create index approvals_pending on approvals (expires_at) where status = 'pending';
create index approvals_by_status on approvals (status, id desc);
create index approvals_of_run on approvals (run_id);
create index approvals_of_connector on approvals (connector_id) where status = 'pending';
