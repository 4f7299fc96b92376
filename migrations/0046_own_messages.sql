-- People change and delete what they wrote themselves, and star the channels they work in.

-- The text is gone at once; the row stays while a thread hangs on it.
alter table messages add column deleted_at timestamptz;

alter table read_marks add column starred boolean not null default false;
comment on table read_marks is 'Up to where a person has read a channel, and whether the person has starred it. Written by chat.';
