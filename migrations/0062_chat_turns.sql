-- The agent takes the messages of a thread in turn: what comes while it is busy there is held, and told to it afterwards.
alter table messages
  add column announced_at timestamptz,
  add column held boolean not null default false;

create index messages_held on messages (channel_id, created_seq) where held;
