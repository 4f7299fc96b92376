-- Events of one source with the same key are answered in one thread.

create table event_threads (
  source_id  text not null,
  thread_key text not null,
  channel_id text not null references channels on delete cascade,
  -- The first message. No reference: it may be deleted, and then the next event opens another thread.
  message_id text not null,
  opened_at  timestamptz not null default now(),
  -- When a rule marked the first message as resolved; null: it is not marked.
  closed_at  timestamptz,
  primary key (source_id, thread_key, channel_id)
);
comment on table event_threads is 'The thread in which the events of one source with one key are answered. Written by runs.';
create index event_threads_by_age on event_threads (opened_at);
