-- Figures also by the revision of the webhook or schedule that a run was started with. All days are counted anew.

alter table day_figures drop constraint day_figures_kind_check,
  add constraint day_figures_kind_check check (kind in ('source', 'model', 'channel', 'tool', 'revision'));
update counted_days set counted_until = '-infinity';
