-- What happened, who did it and from where. Rows are only ever added. Names are copied: the record outlives the user.

create table audit_log (
  id         text primary key,
  at         timestamptz not null default clock_timestamp(),
  actor_kind text not null,
  actor_id   text not null,
  actor_name text not null,
  action     text not null,
  subject    text,
  source     text,
  detail     json
);

create index audit_log_subject on audit_log (subject, id);
create index audit_log_actor on audit_log (actor_id, id);
create index audit_log_action on audit_log (action, id);
