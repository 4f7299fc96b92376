-- A card names earlier calls of the same tool in its thread; a turn lists the calls that wait in it.
create index approvals_of_thread on approvals (thread_id) where thread_id is not null;
create index approvals_of_card on approvals (message_id) where message_id is not null;
