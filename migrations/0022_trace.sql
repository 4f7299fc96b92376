-- When the request of a call was sent. A call that waited for a decision began long before; one that was refused was never sent.
alter table tool_calls add column sent_at timestamptz;
update tool_calls set sent_at = started_at where approval_id is null and state <> 'refused';

-- Calls of the model that failed: [{seq, startedAt, endedAt, message, retryAt}]. They stay after the run has gone on or ended.
alter table runs add column model_attempts json not null default '[]';

-- The event that a message answers, as it was called then: {source, eventId, title}. Null for what no event started.
alter table messages add column origin json;
