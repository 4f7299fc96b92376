-- What the server of a connector refused for want of scopes (403, insufficient_scope): the next sign-in asks for them.
alter table connector_grants add column wanted_scopes text not null default '';
