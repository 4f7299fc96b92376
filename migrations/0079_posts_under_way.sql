-- The few parts that somebody is sending now are found without looking at all that were ever sent.
create index message_parts_leased on message_parts (message_id, part) where leased_until is not null;
