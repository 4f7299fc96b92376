-- Runs in a row that could not be finished because the model did not answer.
alter table model_outages add column failed_runs integer not null default 0;
-- Since then events that need the model wait, and it is asked now and then whether it answers.
alter table model_outages add column held_at timestamptz;
alter table model_outages add column probe_at timestamptz;
-- Where the beginning was announced, and the end will be.
alter table model_outages add column channel_id text;
