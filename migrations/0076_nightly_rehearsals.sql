-- What another model would do with the events of a webhook, tried every night.

create table nightly_rehearsals (
  source_id    text primary key,
  -- {provider,name}: the model that is tried.
  model        json not null,
  budget       double precision not null,
  next_at      timestamptz not null,
  -- Of last night: the rehearsal, or why there was none.
  rehearsal_id text,
  problem      text,
  -- On whose behalf it is paid for.
  created_by   json not null
);
comment on table nightly_rehearsals is 'That the latest events of a webhook are rehearsed with another model every night. Written by rehearsals.';
create index nightly_rehearsals_due on nightly_rehearsals (next_at);
