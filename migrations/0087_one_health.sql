-- How a connector fared is kept in one place, whatever its type.
insert into connector_health (connector_id, last_contact_at, last_error, last_error_at)
select connector_id, last_contact_at, last_error, last_error_at from mcp_servers
where last_contact_at is not null or last_error is not null
on conflict do nothing;
alter table mcp_servers drop column last_contact_at, drop column last_error, drop column last_error_at;
