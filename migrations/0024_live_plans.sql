-- Whether a run has a message that shows its work: `open` while it changes, `sealed` once it shows how the run ended.
alter table runs add column plan text check (plan in ('open', 'sealed'));
create index runs_with_open_plan on runs (id) where plan = 'open';
