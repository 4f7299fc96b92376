-- What a run read of a thread that others began, as JSON: the messages, how many were left out, and why it could not be read. Later
-- turns repeat it word for word and read only what came since.
alter table runs add column thread_context text;

-- Whether the agent reads the rest of a thread that others began when it is mentioned there.
alter table channels add column thread_context text not null default 'all' check (thread_context in ('all', 'off'));

-- The message that this one answers, as the platform sent it along, until the run that reads it begins.
alter table messages add column replies_to json;
