-- What the model is told at the start of a run about the time, the person who asks and what waits for a decision. Kept, so that
-- later turns of the thread repeat it word for word.
alter table runs add column turn_note text not null default '';
