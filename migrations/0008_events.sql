-- The inbox and the ledger: whatever arrived, from a webhook, a schedule or a watched channel.

create table events (
  id             text primary key,
  source_id      text not null,
  -- Returned with the answer; the run itself begins with the dispatch.
  run_id         text not null,
  -- No check on this, the status and the verification: PostgreSQL parses the text of checks again for every batch, and only events
  -- writes these columns.
  trigger        text not null default 'webhook',
  status         text not null,
  -- Its run waits for people and does not count against the limit of active runs.
  parked         boolean not null default false,
  received_at    timestamptz not null,
  settled_at     timestamptz,
  -- The due time of a schedule.
  scheduled_at   timestamptz,
  -- What was written in a watched channel: the answer goes to its thread.
  message_id     text,
  -- What the rules decided, and the conditions that could not be evaluated. Null: not judged (yet).
  verdict        json,
  -- Why it started no run, in words.
  note           text,
  -- What it has in common with the other events of its thread.
  thread_key     text,
  -- While it collects others, it does not start before this.
  due_at         timestamptz,
  -- The event whose run handles it.
  joined_to      text,
  sender_address text not null,
  -- The headers that the agent may see, by lower-case name.
  headers        json not null,
  content_type   text,
  delivery_id    text,
  verification   text not null,
  size_bytes     integer not null,
  -- The bytes as they came. Null once erased.
  body           bytea,
  -- The JSON inside a form-encoded body, where there is one: what the agent reads in place of the form.
  payload        bytea,
  erased_at      timestamptz
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05);
comment on table events is 'Something that arrived and was accepted; stored before its sender gets an answer (states: src/events/inbox/event-transitions.ts). Written by events.';
-- A delivery is entered into one index of its source's events: into the first while it waits, into the second afterwards.
create index events_waiting on events (source_id, id) where status = 'accepted';
create index events_of_source on events (source_id, id) where status <> 'accepted';
create index events_at_work on events (source_id) where status = 'dispatched' and not parked;
create index events_by_status on events (status, id) where status <> 'accepted';
create index events_of_source_by_status on events (source_id, status, id) where status <> 'accepted';
-- A due time starts one run, however many processes reach it.
create unique index events_by_due_time on events (source_id, scheduled_at) where scheduled_at is not null;
create index events_of_open_key on events (source_id, thread_key, id) where thread_key is not null and status in ('accepted', 'dispatched');
create index events_joined on events (joined_to) where joined_to is not null;
-- For the figures: what settled since an hour was counted.
create index events_settled_without_run on events (settled_at) where status in ('skipped', 'notified', 'joined', 'missed');

create table delivery_keys (
  -- The first half of SHA-256 of the webhook and of the id that the sender gave the delivery.
  key        uuid primary key,
  event_id   text not null,
  created_at timestamptz not null
);
comment on table delivery_keys is 'By which a repeated delivery is recognised for seven days. Written by events.';

create table webhook_traffic (
  webhook_id      text primary key references webhooks,
  -- When the whole burst is available again (GCRA): the limit's whole state.
  refilled_at     timestamptz not null default '-infinity',
  accepted        bigint not null default 0,
  last_event_at   timestamptz,
  refused         bigint not null default 0,
  last_refused_at timestamptz
) with (fillfactor = 50);
comment on table webhook_traffic is 'What changes with every delivery of a webhook. Whoever accepts its events locks this row until commit. Written by events.';
