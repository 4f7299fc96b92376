-- Incoming webhooks: their settings, URLs and secrets, and the deliveries that were refused.

create table webhooks (
  id              text primary key,
  name            text not null,
  channel_id      text not null,
  prompt          text not null,
  state           text not null check (state in ('active', 'inactive', 'deleted')),
  ceiling         text not null default 'write' check (ceiling in ('read', 'write', 'destructive')),
  -- Null: every connector.
  connector_ids   json,
  -- How deliveries are verified, without the secrets; null is off.
  verification    json,
  expose_headers  json not null default '[]',
  -- Where the delivery id is found, beyond the well-known headers.
  delivery_id     json,
  -- Both null: unlimited.
  rate_per_second double precision check (rate_per_second > 0),
  rate_burst      integer check (rate_burst > 0),
  max_body_bytes  integer not null default 1048576,
  -- How many of its runs may be active at once.
  concurrency     integer not null default 4 check (concurrency > 0),
  allow_silence   boolean not null default false,
  -- Another model than the service's own.
  model           json,
  -- Asked when the webhook's model cannot answer; null is the fallback of the settings.
  fallback_model  json,
  -- `one`: once a run about an event has read from one connector, a call of another one asks an admin.
  reads_across    text not null default 'all' check (reads_across in ('all', 'one')),
  -- What becomes of an event: the first rule that matches decides. Null: every event starts a run.
  rules           json,
  -- Events with the same key share a thread: a JSON pointer or a template of them. Null: every reply is a message of its own.
  thread_key      text,
  thread_days     integer not null default 7,
  -- quietSeconds and maxSeconds: events with one key that arrive together become one run.
  collect         json,
  -- Budgets; a breach pauses the webhook: it still accepts and keeps events, and starts no run.
  runs_per_hour   integer,
  cost_per_day    double precision,
  paused_at       timestamptz,
  pause_reason    text,
  created_at      timestamptz not null default now(),
  created_by      text,
  updated_at      timestamptz not null default now(),
  deleted_at      timestamptz,
  check ((rate_per_second is null) = (rate_burst is null))
);
comment on table webhooks is 'A URL that other systems send events to, and what the agent should do with them. Written by webhooks.';
create index webhooks_of_channel on webhooks (channel_id, id);

create table webhook_tokens (
  -- SHA-256 of the token, in hex: the token itself is here only sealed.
  hash           text primary key,
  webhook_id     text not null references webhooks,
  -- Null once the webhook is deleted; the hash stays, so that the URL can answer that it is gone.
  sealed         text,
  -- The last characters, to tell two masked URLs apart.
  hint           text not null,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz,
  last_used_at   timestamptz,
  last_used_from text
);
comment on table webhook_tokens is 'The secret end of a webhook''s URL. More than one works while a rotation overlaps. Written by webhooks.';
create index webhook_tokens_of on webhook_tokens (webhook_id, created_at);

create table webhook_secrets (
  id         text primary key,
  webhook_id text not null references webhooks,
  position   smallint not null,
  sealed     text not null,
  unique (webhook_id, position)
);
comment on table webhook_secrets is 'A secret that verifies the signatures of a webhook''s deliveries. Written by webhooks.';

create table refusals (
  id           text primary key,
  webhook_id   text not null,
  at           timestamptz not null default now(),
  status       integer not null,
  problem      text not null,
  reason       text not null,
  source       text not null,
  headers      json not null,
  content_type text,
  size_bytes   integer,
  -- URL, all headers and body as they came, for a day and for the last few, so that they can be checked again.
  sealed_request text
);
comment on table refusals is 'One of the last deliveries that were not accepted, with the reason. Body and credentials are kept only sealed. Written by webhooks.';
create index refusals_of_webhook on refusals (webhook_id, id);
create index refusals_with_request on refusals (webhook_id, id) where sealed_request is not null;

create table refused_hours (
  -- Hours since 1970, UTC.
  hour       bigint not null,
  webhook_id text not null,
  refused    integer not null,
  primary key (hour, webhook_id)
);
comment on table refused_hours is 'How many deliveries of a webhook were refused in one hour, all of them. Written by webhooks.';

create table failing_sources (
  source      text primary key,
  -- When the whole burst is available again (GCRA): the limit's whole state.
  refilled_at timestamptz not null
);
comment on table failing_sources is 'A source address that failed again and again to deliver. Written by webhooks.';
