-- The processes that share this database, as each of them tells every few seconds. Only src/status writes here.
create table replicas (
  id         text primary key,
  role       text not null check (role in ('all', 'web', 'worker')),
  version    text not null,
  started_at timestamptz not null default now(),
  seen_at    timestamptz not null default now()
);
