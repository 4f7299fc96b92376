-- Figures are counted by model, too, and for longer: the stored hours are counted again.
alter table hour_figures add column model text not null default '';
alter table hour_figures drop constraint hour_figures_pkey;
alter table hour_figures add primary key (hour, source_id, model);
comment on table hour_figures is 'The figures of a webhook and a model in one hour. Written by status.';
delete from hour_figures;
update counted_hours set first_hour = 0, last_hour = -1, counted_until = '-infinity';

-- Which runs called a tool, and how a tool did of late.
create index tool_calls_of_tool on tool_calls (tool_id, run_id) where tool_id is not null;
