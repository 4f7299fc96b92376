-- Approvals with the same key are asked for in one message with a list instead of a card each.
alter table approvals add column list_key text;
create index approvals_of_list on approvals (list_key) where list_key is not null;
