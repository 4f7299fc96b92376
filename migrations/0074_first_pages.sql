-- Every list finds its first page in an index, whatever lies before it: a storm that waits, or a million that are done.

-- In place of the one that left out what is done: the newest that are done may lie behind a storm that waits.
drop index events_unusual;
create index events_by_status on events (status, id) where status <> 'accepted';
create index events_of_webhook_by_status on events (webhook_id, status, id) where status <> 'accepted';

create index runs_of_webhook_gone_wrong on runs (webhook_id, status, id) where status in ('failed', 'cancelled');
create index runs_of_channel_gone_wrong on runs (channel_id, status, id) where status in ('failed', 'cancelled');

create index webhooks_of_channel on webhooks (channel_id, id);
