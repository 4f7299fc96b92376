-- How an HTTP connector fared when it was last used or tested. Apart from the connector: it changes often, and changes nothing.
create table connector_health (
  connector_id    text primary key references connectors (id) on delete cascade,
  last_contact_at timestamptz,
  -- Null once it was reached again.
  last_error      text,
  last_error_at   timestamptz
);
