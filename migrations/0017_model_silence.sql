-- While a model call is under way and nothing has come for long: since when. Null otherwise.
alter table runs add column model_silent_since timestamptz;
