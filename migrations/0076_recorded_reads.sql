-- A dry replay may read from the recording of the run it repeats, so that both saw the same.
alter table runs add column recorded_reads boolean not null default false;
