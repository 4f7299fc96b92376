-- The key of the environment is known by this, and not by the name of its maker: a person may be called anything.
alter table api_keys add column from_environment boolean not null default false;
update api_keys set from_environment = true
where created_by = 'environment' and not exists (
  select from audit_log a where a.subject = api_keys.id and a.action = 'api-key.created' and a.actor_kind <> 'system');

-- What the thing was called when it happened: the reader of the log need not know ids, and the thing may be gone.
alter table audit_log add column subject_name text;
