-- The processes that run, and statistics by hour and by day.

create table replicas (
  id         text primary key,
  role       text not null check (role in ('all', 'web', 'worker')),
  version    text not null,
  started_at timestamptz not null default now(),
  seen_at    timestamptz not null default now()
);
comment on table replicas is 'A process that shares this database, as it reports every few seconds. Written by status.';

create table counted_hours (
  id            boolean primary key default true check (id),
  -- Hours since 1970, UTC; both are counted.
  first_hour    bigint not null default 0,
  last_hour     bigint not null default -1,
  -- Runs that ended before this are in the figures; those that ended later are counted when figures are read.
  counted_until timestamptz not null default '-infinity'
);
comment on table counted_hours is 'One row: which past hours are counted in hour_figures. Written by status.';
insert into counted_hours default values;

create table hour_figures (
  -- Hours since 1970, UTC: what was asked for in that hour.
  hour          bigint not null,
  -- The webhook or schedule; empty where neither started it.
  source_id     text not null,
  -- Empty where no model was asked.
  model         text not null default '',
  events        integer not null,
  succeeded     integer not null,
  failed        integer not null,
  cancelled     integer not null,
  -- Events that started no run of their own: by a rule, or because their schedule was at work or Bellhop was not running.
  skipped       integer not null default 0,
  notified      integer not null default 0,
  joined        integer not null default 0,
  missed        integer not null default 0,
  input_tokens  bigint not null,
  output_tokens bigint not null,
  cost          double precision not null,
  -- How long replies took: time buckets and how many fell into each (src/status/time-buckets.ts).
  time_classes  integer[] not null,
  time_counts   integer[] not null,
  primary key (hour, source_id, model)
);
comment on table hour_figures is 'The figures of a webhook and a model in one hour. Written by status.';

create table counted_days (
  id            boolean primary key default true check (id),
  -- Runs that ended before this are in the figures.
  counted_until timestamptz not null default '-infinity'
);
comment on table counted_days is 'One row: up to when runs are counted in day_figures. Written by status.';
insert into counted_days default values;

create table day_figures (
  -- Days since 1970, UTC: when the run was asked for.
  day          integer not null,
  kind         text not null check (kind in ('source', 'model', 'channel', 'tool', 'revision')),
  -- The webhook or schedule, the model, the channel or the tool.
  key          text not null,
  -- Of a deleted tool the name is known from its calls.
  name         text,
  -- Runs that ended or, of a tool, requests that were sent.
  calls        integer not null,
  failed       integer not null,
  cost         double precision not null default 0,
  -- Approvals that people were asked for, and those that they denied.
  asked        integer not null default 0,
  denied       integer not null default 0,
  -- How long replies or requests took: time buckets and how many fell into each (src/status/time-buckets.ts).
  time_classes integer[] not null,
  time_counts  integer[] not null,
  primary key (kind, day, key)
);
comment on table day_figures is 'What a tool, source, model or channel did in one day. Written by status.';
