-- Prompts that the server offers, as JSON: suggestions for people who write one.
alter table mcp_servers add column prompts text not null default '[]';
