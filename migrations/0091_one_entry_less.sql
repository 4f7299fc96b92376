-- A delivery is entered into one index of its webhook's events instead of two with the same columns: into that of the inbox as long
-- as it waits, into this one afterwards.
drop index events_of_webhook;
create index events_of_webhook on events (webhook_id, id) where status <> 'accepted';
