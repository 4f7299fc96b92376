-- Rules of a webhook decide what becomes of its events; events with the same key share a thread.

alter table webhooks
  -- The first that matches decides; null: every event starts a run.
  add column rules       json,
  -- A JSON pointer or a template of them; null: every reply is a message of its own.
  add column thread_key  text,
  add column thread_days integer not null default 7,
  -- quietSeconds and maxSeconds: events with one key that arrive together become one run.
  add column collect     json;

alter table events
  -- What the rules decided, and the conditions that could not be evaluated. Null: not judged (yet).
  add column verdict    json,
  -- What it has in common with the other events of its thread.
  add column thread_key text,
  -- While it collects others, it does not start before this.
  add column due_at     timestamptz,
  -- The event whose run handles it.
  add column joined_to  text;
create index events_of_open_key on events (webhook_id, thread_key, id) where thread_key is not null and status in ('accepted', 'dispatched');
create index events_joined on events (joined_to) where joined_to is not null;
