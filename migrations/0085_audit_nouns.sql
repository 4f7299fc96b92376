-- Everything that happened to webhooks, to people, to keys: the newest of it without reading the rest.
create index audit_log_noun on audit_log (split_part(action, '.', 1), id);
