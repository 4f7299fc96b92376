-- Figures by tool, source, model and channel, day by day.

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
  kind     text not null check (kind in ('source', 'model', 'channel', 'tool')),
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
