-- The headers of an answer that say where to go on (Location, Link, Retry-After), one per line; null where there were none.
alter table tool_calls add column response_headers text;
