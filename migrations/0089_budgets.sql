-- Events that earlier versions dispatched once more after their run had ended: each kept a place of its webhook.
update events e set status = case when r.status = 'succeeded' then 'done' else 'failed' end, parked = false, settled_at = r.ended_at
from runs r where r.id = e.run_id and e.status = 'dispatched' and r.ended_at is not null;

-- What a webhook has spent of its budget is counted without looking at its older runs. Without the cost, which changes with every step.
-- It comes last, since runs cannot be written until it is committed.
create index runs_of_webhook_by_age on runs (webhook_id, created_at) where webhook_id is not null and not dry;
