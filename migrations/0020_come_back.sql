-- The agent comes back to a thread: a schedule that rings once, in that thread.
alter table schedules
  add column thread_id text,
  -- What the agent wanted to do there, in its own words: never an instruction.
  add column why text;
-- One waits at a time in a thread.
create unique index schedules_of_thread on schedules (thread_id) where thread_id is not null and next_at is not null;
