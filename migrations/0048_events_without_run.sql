alter table hour_figures
  -- Events that started no run of their own: by a rule, or because their schedule was at work or Bellhop was not running.
  add column skipped  integer not null default 0,
  add column notified integer not null default 0,
  add column joined   integer not null default 0,
  add column missed   integer not null default 0;

-- For the figures: what settled since an hour was counted.
create index events_settled_without_run on events (settled_at) where status in ('skipped', 'notified', 'joined', 'missed');
