-- Drills: what the agent tries when somebody hides an order in an event.

alter table rehearsals add column is_drill boolean not null default false;

-- The name of the order that was hidden in the event; null outside drills.
alter table rehearsed_events add column injection text;

-- What a real run would have done with the call: sent it without asking, asked people, or refused it.
alter table dry_calls add column would text check (would in ('send', 'ask', 'refuse'));
