-- A set of tools that no run has used for as long as runs are kept can go. Processes remember the sets they use and write this now and then.
alter table tool_sets add column used_at timestamptz not null default now();

-- Who removes a set asks whether a run still has it.
create index runs_by_tool_set on runs (tool_set);
