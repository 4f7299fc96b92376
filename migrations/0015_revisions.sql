-- What was saved: who changed a webhook, schedule, tool, policy or the agent's settings, when, and to what.

create table revisions (
  -- The id of the webhook, schedule, tool or policy, or 'settings'.
  subject         text not null,
  -- 1, 2, 3, … for each subject.
  n               integer not null,
  -- What can be changed, without secrets.
  document        json not null,
  -- {kind,id,name}; null for what was there before the first save that is kept.
  saved_by        json,
  saved_at        timestamptz not null default now(),
  -- Names of secrets that were replaced or removed with this save.
  changed_secrets text[] not null default '{}',
  -- The revision that this save brought back.
  restored_from   integer,
  primary key (subject, n)
);
comment on table revisions is 'One save of a webhook, schedule, tool, policy or the settings; the last 100 of each are kept. Written by revisions.';
