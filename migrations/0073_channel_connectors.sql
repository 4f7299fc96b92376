-- The connectors that the agent may use when it is asked in this channel; null is all of them.
alter table channels add column connector_ids json;
