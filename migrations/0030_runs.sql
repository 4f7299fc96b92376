-- A run is a journal: what it was started with, each answer of the model, and the one reply. Only src/runs writes here.

-- The tools a run was offered, exactly as the model saw them. Most runs share one set, so it is kept once under its digest.
create table tool_sets (
  digest     text primary key,
  tools      text not null,
  created_at timestamptz not null default now()
);

create table runs (
  id             text primary key,
  trigger        text not null check (trigger in ('webhook', 'chat', 'replay', 'test', 'mcp')),
  webhook_id     text,
  event_id       text,
  -- The chat message it answers.
  message_id     text,
  -- The run that a replay is compared with.
  replay_of      text,
  channel_id     text,
  -- Where the reply goes; null is a message of its own.
  thread_id      text,
  -- A dry run changes nothing outside and posts nowhere.
  dry            boolean not null default false,
  -- On whose behalf: decides what the gate allows.
  requester      json not null,
  ceiling        text check (ceiling in ('read', 'write', 'destructive')),
  connector_ids  json,
  allow_silence  boolean not null default false,

  -- What was read at the start. A later edit does not change a run that is under way.
  prompt         text not null,
  system         text not null,
  model_provider text not null,
  model_name     text not null,
  -- The random word around untrusted text.
  delimiter     text not null,
  tool_set       text not null references tool_sets (digest),

  status         text not null check (status in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')),
  error_code     text,
  error_message  text,
  steps          integer not null default 0,
  input_tokens   bigint not null default 0,
  output_tokens  bigint not null default 0,
  -- In the currency of the price table.
  cost           double precision not null default 0,
  -- Time spent working; waiting for people is not work.
  work_ms        bigint not null default 0,
  -- Failed model calls in a row.
  model_failures integer not null default 0,
  -- How often a worker took it up since it last got on. A run that kills its workers must end some time.
  tries          integer not null default 0,

  -- The worker with the highest fence number owns the run until lease_until; nobody else can commit to it.
  fence          bigint not null default 0,
  lease_until    timestamptz,

  -- When the event or message came: the beginning of the wait for a reply.
  asked_at       timestamptz not null,
  created_at     timestamptz not null default now(),
  started_at     timestamptz,
  ended_at       timestamptz,
  erased_at      timestamptz
);

create index runs_by_webhook on runs (webhook_id, id) where webhook_id is not null;
create index runs_by_channel on runs (channel_id, id);
create index runs_by_event on runs (event_id) where event_id is not null;
create index runs_by_thread on runs (thread_id) where thread_id is not null;
-- One message is answered by one run.
create unique index runs_by_message on runs (message_id) where message_id is not null and not dry;
create index runs_alive on runs (id) where status in ('queued', 'running', 'waiting');
create index runs_gone_wrong on runs (status, id) where status in ('failed', 'cancelled');

-- One row for each call of the model.
create table run_steps (
  run_id        text not null references runs (id) on delete cascade,
  seq           integer not null,
  -- The model's messages and the tool calls in them, as JSON text: key order and numbers stay as they came.
  answer        text not null,
  calls         text not null,
  -- What the model gets back for its calls; written together with the step after it.
  results       text,
  finish_reason text not null,
  input_tokens  integer not null default 0,
  output_tokens integer not null default 0,
  cost          double precision not null default 0,
  model_ms      integer not null default 0,
  started_at    timestamptz not null,
  ended_at      timestamptz not null,
  primary key (run_id, seq)
);

-- The outbox: a reply is written here before it is posted, so posting can be tried again without the model.
create table replies (
  run_id     text primary key references runs (id) on delete cascade,
  kind       text not null check (kind in ('answer', 'notice', 'silence')),
  text       text not null,
  state      text not null check (state in ('pending', 'posted', 'withheld')),
  message_id text,
  permalink  text,
  -- Failures to post, and the last one in words, for the operator.
  tries      integer not null default 0,
  problem    text,
  created_at timestamptz not null default now(),
  posted_at  timestamptz
);
create index replies_pending on replies (created_at) where state = 'pending';
