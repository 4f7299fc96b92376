-- Counts up with every change of a connector, a header or a tool. Whoever keeps them in memory asks for this one number
-- and knows whether what it remembers is still so, in every process and without a moment of doubt.
create table connector_revision (
  id       boolean primary key default true check (id),
  revision bigint not null default 0
);
insert into connector_revision default values;

create function count_connector_revision() returns trigger language plpgsql as $$
begin
  update connector_revision set revision = revision + 1;
  return null;
end $$;

create trigger connectors_counted after insert or update or delete or truncate on connectors
  for each statement execute function count_connector_revision();
create trigger connector_headers_counted after insert or update or delete or truncate on connector_headers
  for each statement execute function count_connector_revision();
create trigger tools_counted after insert or update or delete or truncate on tools
  for each statement execute function count_connector_revision();
create trigger mcp_tools_counted after insert or update or delete or truncate on mcp_tools
  for each statement execute function count_connector_revision();
