-- Numbers of hours that are over, counted once instead of at every look. Only src/status writes here, and the trigger below.
-- An hour is counted in hours since 1970 (UTC), and holds what was asked for in it.
create table rolled_hours (
  hour      bigint primary key,
  -- Transactions before this one may end a run without having seen this row; null until that is known.
  seen_from xid8,
  ready     boolean not null default false
);

create table hour_figures (
  hour          bigint not null references rolled_hours on delete cascade,
  -- Empty where no webhook started it.
  webhook_id    text not null,
  events        integer not null,
  succeeded     integer not null,
  failed        integer not null,
  cancelled     integer not null,
  input_tokens  bigint not null,
  output_tokens bigint not null,
  cost          double precision not null,
  -- How long replies took: time buckets and how many fell into each (src/status/time-buckets.ts).
  time_classes  integer[] not null,
  time_counts   integer[] not null,
  primary key (hour, webhook_id)
);

-- Runs that are under way are not in the figures. One that ends, or ends in another way, makes those of its hour untrue.
create function forget_rolled_hour() returns trigger language plpgsql as $$
begin
  -- An id begins with its time in milliseconds: run_xxxxxxxx-xxxx-…
  delete from rolled_hours
  where hour = ('x' || substr(new.id, 5, 8) || substr(new.id, 14, 4))::bit(48)::bigint / 3600000;
  return null;
end $$;

create trigger runs_forget_rolled_hour after update of ended_at on runs
  for each row when (old.ended_at is distinct from new.ended_at)
  execute function forget_rolled_hour();
