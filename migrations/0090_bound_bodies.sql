-- Whether a repeated delivery has another body is seen by looking at the body that was stored: only a repetition pays for it, where
-- a digest was made for every delivery before. The parameters are as before, since a replica of the former version calls these
-- functions, too. "digests" only says which deliveries are bound to their body: not null, whatever it is.

comment on column delivery_keys.body_digest is 'Only of deliveries before this migration: the first half of the SHA-256 of the body.';

-- The careful way: who is known, who is new, who still finds room; one answer for each.
create or replace function sort_events(
  ids text[], hooks text[], triggers text[], keys uuid[], digests uuid[], sources text[], headers text[], content_types text[],
  delivery_ids text[], verifications text[], bodies bytea[], payloads bytea[]
)
returns json
language plpgsql
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  this_moment timestamptz;
  receipts json;
begin
  perform 1 from webhook_traffic t where t.webhook_id = any (hooks) order by t.webhook_id for update;
  this_moment := clock_timestamp();

  with request as materialized (
    select r.*, 'run_' || substr(r.id, 5) as run_id
    from unnest(ids, hooks, triggers, keys, digests, sources, headers, content_types, delivery_ids, verifications, bodies, payloads)
         with ordinality as r (id, webhook_id, trigger, key, digest, source, headers, content_type, delivery_id, verification,
                               body, payload, n)
  ),
  -- The limit of 1 keeps this a look at the primary key for each request, whatever the planner believes about the table.
  known as (
    select r.n, k.event_id,
           case when r.digest is null then false
                when k.body_digest is not null then k.body_digest <> substr(encode(sha256(r.body), 'hex'), 1, 32)::uuid
                -- Erased or no longer kept: there is nothing to compare with.
                else coalesce((select e.body <> r.body from events e where e.id = k.event_id), false) end as differs
    from request r
    cross join lateral (
      select * from delivery_keys d where d.key = r.key limit 1
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
      select t.webhook_id, w.rate_burst as burst,
             case when w.rate_per_second is not null then 1 / greatest(w.rate_per_second, 1::float8 / 86400) end as step,
             case when t.arrival > this_moment then extract(epoch from t.arrival - this_moment)::float8 else 0 end as debt
      from webhook_traffic t
      join webhooks w on w.id = t.webhook_id
      where t.webhook_id = any (hooks)
    ) l
  ),
  admitted as (
    select f.* from fresh f join quota q on q.webhook_id = f.webhook_id where q.step is null or f.place <= q.free
  ),
  stored as (
    insert into events (id, webhook_id, run_id, trigger, status, received_at, source, headers, content_type, delivery_id,
                        verification, size_bytes, body, payload)
    select a.id, a.webhook_id, a.run_id, a.trigger, 'accepted', this_moment, a.source, a.headers::json, a.content_type,
           a.delivery_id, a.verification, octet_length(a.body), a.body, a.payload
    from admitted a
  ),
  remembered as (
    insert into delivery_keys (key, event_id, created_at)
    select a.key, a.id, this_moment from admitted a where a.key is not null
    on conflict (key) do update
    set event_id = excluded.event_id, body_digest = null, created_at = excluded.created_at
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
  select json_agg(json_build_object(
           'outcome', case when k.n is null then case when a.n is null then 'limited' else 'accepted' end
                           when k.differs then 'conflict' else 'duplicate' end,
           'eventId', coalesce(k.event_id, r.id),
           'runId', 'run_' || substr(coalesce(k.event_id, r.id), 5),
           'retryAfterMs', least(ceil(1000 * (q.debt + (greatest(q.free, 0) + 1 - q.burst) * q.step)), 2147483647)::integer
         ) order by r.n)
  into receipts
  from request r
  left join known k on k.n = r.n
  left join admitted a on a.n = r.n
  left join quota q on q.webhook_id = r.webhook_id;
  return receipts;
end
$$;

-- Takes a batch of deliveries in: duplicates, rate limit and insert in one round trip and one commit. Each statement in here sees
-- what was committed before it began, so once the traffic row is held nothing of its webhook can be missed. Null: all accepted.
-- One webhook's row is held by the update itself; several are held in one order first, so that two batches never wait for each other.
-- Elements are taken by their number: unnest would copy each array, row by row.
create or replace function accept_events(
  distinct_hooks text[], counts integer[],
  ids text[], hooks text[], triggers text[], keys uuid[], digests uuid[], sources text[], headers text[], content_types text[],
  delivery_ids text[], verifications text[], bodies bytea[], payloads bytea[], wake boolean
)
returns json
language plpgsql
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  this_moment timestamptz;
  held integer;
begin
  if wake then
    perform pg_notify('events_waiting', '');
  end if;

  begin
    if cardinality(distinct_hooks) > 1 then
      perform 1 from webhook_traffic t where t.webhook_id = any (distinct_hooks) order by t.webhook_id for update;
    end if;

    update webhook_traffic t
    set arrival = case when w.rate_per_second is null then t.arrival
                  else greatest(t.arrival, clock_timestamp()) + make_interval(secs => b.events / greatest(w.rate_per_second, 1::float8 / 86400)) end,
        accepted = t.accepted + b.events,
        last_event_at = clock_timestamp()
    from unnest(distinct_hooks, counts) as b (webhook_id, events)
    join webhooks w on w.id = b.webhook_id
    where t.webhook_id = b.webhook_id
      and (w.rate_per_second is null
           or b.events <= w.rate_burst + 1e-6 - case when t.arrival > clock_timestamp()
              then extract(epoch from t.arrival - clock_timestamp())::float8 * greatest(w.rate_per_second, 1::float8 / 86400) else 0 end);
    get diagnostics held = row_count;
    if held < cardinality(distinct_hooks) then
      raise sqlstate 'BH001';
    end if;
    this_moment := clock_timestamp();

    insert into delivery_keys (key, event_id, created_at)
    select keys[n], ids[n], this_moment from generate_series(1, cardinality(ids)) n where keys[n] is not null;

    insert into events (id, webhook_id, run_id, trigger, status, received_at, source, headers, content_type, delivery_id,
                        verification, size_bytes, body, payload)
    select ids[n], hooks[n], 'run_' || substr(ids[n], 5), triggers[n], 'accepted', this_moment, sources[n], headers[n]::json,
           content_types[n], delivery_ids[n], verifications[n], octet_length(bodies[n]), bodies[n], payloads[n]
    from generate_series(1, cardinality(ids)) n;
    return null;
  exception when unique_violation or sqlstate 'BH001' then
    return sort_events(ids, hooks, triggers, keys, digests, sources, headers, content_types, delivery_ids, verifications,
                       bodies, payloads);
  end;
end
$$;
