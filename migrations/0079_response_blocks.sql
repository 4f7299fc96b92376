-- What an MCP server answered to a call of /mcp, block by block, as JSON: a client that waited for an approval reads it from here.
alter table tool_calls add column response_blocks text;
