-- Who made a key, so that the page of keys can tell when that person or key is gone. Null for what is older than the audit log.
alter table api_keys add column created_by_id text;
update api_keys set created_by_id = (
  select actor_id from audit_log where action = 'api-key.created' and subject = api_keys.id limit 1);

-- What somebody asks in the thread of a webhook's message: the webhook whose limits hold there.
alter table runs add column thread_webhook_id text;
