-- Incoming webhooks and what comes in through them. Only src/webhooks writes here.

create table webhooks (
  id              text primary key,
  name            text not null,
  channel_id      text not null,
  prompt          text not null,
  state           text not null check (state in ('active', 'inactive', 'deleted')),
  ceiling         text not null default 'write' check (ceiling in ('read', 'write', 'destructive')),
  -- Null: every connector.
  connector_ids   json,
  -- How deliveries are verified, without the secrets; null is off.
  verification    json,
  expose_headers  json not null default '[]',
  -- Where the delivery id is found, beyond the well-known headers.
  delivery_id     json,
  -- Both null: unlimited.
  rate_per_second double precision check (rate_per_second > 0),
  rate_burst      integer check (rate_burst > 0),
  max_body_bytes  integer not null default 1048576,
  -- How many of its runs may be at work at once.
  concurrency     integer not null default 4 check (concurrency > 0),
  allow_silence   boolean not null default false,
  -- Another model than the service's own.
  model           json,
  -- Budgets; a breach pauses the webhook: it still accepts and keeps, and starts nothing.
  runs_per_hour   integer,
  cost_per_day    double precision,
  paused_at       timestamptz,
  pause_reason    text,
  created_at      timestamptz not null default now(),
  created_by      text,
  updated_at      timestamptz not null default now(),
  deleted_at      timestamptz,
  check ((rate_per_second is null) = (rate_burst is null))
);

-- The secret ends of its URLs. More than one works while a rotation overlaps.
create table webhook_tokens (
  -- SHA-256 of the token, in hex: the token itself is only here sealed.
  hash           text primary key,
  webhook_id     text not null references webhooks,
  -- Null once the webhook is deleted; the hash stays, so that the URL can say that it is gone.
  sealed         text,
  -- The last characters, to tell two masked URLs apart.
  hint           text not null,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz,
  last_used_at   timestamptz,
  last_used_from text
);
create index webhook_tokens_of on webhook_tokens (webhook_id, created_at);

create table webhook_secrets (
  id         text primary key,
  webhook_id text not null references webhooks,
  position   smallint not null,
  sealed     text not null,
  unique (webhook_id, position)
);

-- What changes with every delivery, apart from what rarely changes. Whoever accepts events of a webhook holds this row until
-- commit: that makes its limit and its duplicates exact across replicas.
create table webhook_traffic (
  webhook_id      text primary key references webhooks,
  -- GCRA's theoretical arrival time: the limit's whole state.
  arrival         timestamptz not null default '-infinity',
  accepted        bigint not null default 0,
  last_event_at   timestamptz,
  refused         bigint not null default 0,
  last_refused_at timestamptz
) with (fillfactor = 50);

-- The inbox and the ledger. An event is here before its sender gets an answer.
create table events (
  id            text primary key,
  webhook_id    text not null,
  -- Given out with the answer; the run itself begins with the dispatch.
  run_id        text not null,
  trigger       text not null default 'webhook' check (trigger in ('webhook', 'test')),
  status        text not null check (status in ('accepted', 'dispatched', 'done', 'failed', 'dead', 'ignored')),
  -- Its run waits for people and takes no place among those at work.
  parked        boolean not null default false,
  received_at   timestamptz not null,
  dispatched_at timestamptz,
  settled_at    timestamptz,
  source        text not null,
  -- The headers that the agent may see, by lower-case name.
  headers       json not null,
  content_type  text,
  delivery_id   text,
  verification  text not null check (verification in ('off', 'verified', 'test')),
  size_bytes    integer not null,
  -- The bytes as they came. Null once erased.
  body          bytea,
  -- The JSON inside a form-encoded body, where there is one: what the agent reads in place of the form.
  payload       bytea,
  erased_at     timestamptz
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05);
create index events_of_webhook on events (webhook_id, id);
create index events_waiting on events (webhook_id, id) where status = 'accepted';
create index events_at_work on events (webhook_id) where status = 'dispatched' and not parked;
create index events_unusual on events (status, id) where status in ('dispatched', 'failed', 'dead', 'ignored');

-- By which a repeated delivery is known, for 7 days.
create table delivery_keys (
  webhook_id  text not null,
  -- SHA-256 of where the id was found and what it was.
  key         text not null,
  event_id    text not null,
  run_id      text not null,
  -- Only for keys that bind a body: another body under the same key is a mistake.
  body_digest text,
  created_at  timestamptz not null,
  primary key (webhook_id, key)
);
create index delivery_keys_by_age on delivery_keys using brin (created_at);

-- The last deliveries that were not accepted, with the reason in words. No body and no credential is kept.
create table refusals (
  id           text primary key,
  webhook_id   text not null,
  at           timestamptz not null default now(),
  status       integer not null,
  problem      text not null,
  reason       text not null,
  source       text not null,
  headers      json not null,
  content_type text,
  size_bytes   integer
);
create index refusals_of_webhook on refusals (webhook_id, id);

-- Addresses that fail again and again, in the same terms as the limit of a webhook.
create table failing_sources (
  source  text primary key,
  arrival timestamptz not null
);

-- Takes a batch of deliveries in: duplicates, rate limit and insert in one round trip and one commit. Each statement in here
-- sees what was committed before it began, so after the lock nothing of these webhooks can be missed.
create function accept_events(requests json, bodies bytea, webhook_ids text[], wake boolean)
returns table (n integer, outcome text, event_id text, run_id text, retry_after_ms integer)
language plpgsql
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  this_moment timestamptz;
begin
  perform 1 from webhook_traffic t where t.webhook_id = any (webhook_ids) order by t.webhook_id for update;
  this_moment := clock_timestamp();

  return query
  with request as materialized (
    select * from json_to_recordset(requests) as r (
      n integer, id text, run_id text, webhook_id text, trigger text, key text, digest text, source text, headers json,
      content_type text, delivery_id text, verification text, start integer, size integer, payload_size integer
    )
  ),
  -- The limit of 1 keeps this a look at the primary key for each request, whatever the planner believes about the table.
  known as (
    select r.n, k.event_id, k.run_id, r.digest is distinct from k.body_digest as differs
    from request r
    cross join lateral (
      select * from delivery_keys d where d.webhook_id = r.webhook_id and d.key = r.key limit 1
    ) k
    where k.created_at > this_moment - interval '7 days'
  ),
  fresh as (
    select r.*, row_number() over (partition by r.webhook_id order by r.n) as place
    from request r
    where not exists (select from known k where k.n = r.n)
  ),
  -- GCRA: each event moves the arrival time on by one step; it may lie a burst of steps ahead, no more.
  quota as (
    select l.webhook_id, l.step, l.burst, l.debt, floor(l.burst - l.debt / l.step + 1e-6) as free
    from (
      select t.webhook_id, 1 / w.rate_per_second as step, w.rate_burst as burst,
             case when t.arrival > this_moment then extract(epoch from t.arrival - this_moment)::float8 else 0 end as debt
      from webhook_traffic t
      join webhooks w on w.id = t.webhook_id
      where t.webhook_id = any (webhook_ids)
    ) l
  ),
  admitted as (
    select f.* from fresh f join quota q on q.webhook_id = f.webhook_id where q.step is null or f.place <= q.free
  ),
  stored as (
    insert into events (id, webhook_id, run_id, trigger, status, received_at, source, headers, content_type, delivery_id,
                        verification, size_bytes, body, payload)
    select a.id, a.webhook_id, a.run_id, a.trigger, 'accepted', this_moment, a.source, a.headers, a.content_type,
           a.delivery_id, a.verification, a.size, substring(bodies from a.start for a.size),
           case when a.payload_size > 0 then substring(bodies from a.start + a.size for a.payload_size) end
    from admitted a
  ),
  remembered as (
    insert into delivery_keys (webhook_id, key, event_id, run_id, body_digest, created_at)
    select a.webhook_id, a.key, a.id, a.run_id, a.digest, this_moment from admitted a where a.key is not null
    on conflict (webhook_id, key) do update
    set event_id = excluded.event_id, run_id = excluded.run_id, body_digest = excluded.body_digest,
        created_at = excluded.created_at
  ),
  counted as (
    update webhook_traffic t
    set arrival = case when q.step is null then t.arrival
                  else greatest(t.arrival, this_moment) + make_interval(secs => c.events * q.step) end,
        accepted = t.accepted + c.events,
        last_event_at = this_moment
    from (select a.webhook_id, count(*) as events from admitted a group by a.webhook_id) c
    join quota q on q.webhook_id = c.webhook_id
    where t.webhook_id = c.webhook_id
  )
  select r.n,
         case when k.n is null then case when a.n is null then 'limited' else 'accepted' end
              when k.differs then 'conflict' else 'duplicate' end,
         coalesce(k.event_id, r.id),
         coalesce(k.run_id, r.run_id),
         ceil(1000 * (q.debt + (greatest(q.free, 0) + 1 - q.burst) * q.step))::integer
  from request r
  left join known k on k.n = r.n
  left join admitted a on a.n = r.n
  left join quota q on q.webhook_id = r.webhook_id;

  if wake then
    perform pg_notify('events_waiting', '');
  end if;
end
$$;

-- The same, durably, in one round trip. The first commit does not wait for the disk, so that the next batch of the same webhook need
-- not wait for it either; the end of the procedure does, and with it everything that was committed before: the log has one order.
create procedure take_in(requests json, bodies bytea, webhook_ids text[], wake boolean, inout receipts json)
language plpgsql
as $$
begin
  set local synchronous_commit = off;
  select json_agg(r) into receipts from accept_events(requests, bodies, webhook_ids, wake) r;
  commit;
  perform pg_logical_emit_message(true, 'bellhop', '');
end
$$;
