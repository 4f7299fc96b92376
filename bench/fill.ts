import type pg from 'pg'

export type Size = { webhooks: number; events: number }

/** Spread over the retention period, with ids as the service makes them: an event and its run share a number. */
const history = `
  create temp table filled as
  select 'evt_' || uuid as event_id, 'run_' || uuid as run_id, 'msg_' || uuid as message_id, n, at,
         'hook_00000000-0000-7000-8000-' || lpad((n % $webhooks + 1)::text, 12, '0') as webhook_id,
         'chan_00000000-0000-7000-8000-' || lpad((n % least($webhooks, 100) + 10)::text, 12, '0') as channel_id,
         case n % 50 when 1 then 'failed' when 2 then 'dead' when 3 then 'ignored' else 'done' end as status
  from (
    select n, at, substr(ms, 1, 8) || '-' || substr(ms, 9, 4) || '-7' || lpad(to_hex(n % 4096), 3, '0') || '-8000-' || lpad(to_hex(n), 12, '0') as uuid
    from (
      select n, at, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as ms
      from (select n, now() - interval '29 days' + interval '29 days' * n / $events as at
            from generate_series(1, $events) n) t
    ) t
  ) t`

const statements = [
  `insert into channels (id, workspace_id, name, last_seq)
   select 'chan_00000000-0000-7000-8000-' || lpad((n + 9)::text, 12, '0'), 'wsp_00000000-0000-7000-8000-000000000001',
          'filled-' || n, $events from generate_series(1, least($webhooks, 100)) n`,
  `insert into webhooks (id, name, channel_id, prompt, state, rate_per_second, rate_burst)
   select 'hook_00000000-0000-7000-8000-' || lpad(n::text, 12, '0'), 'Filled ' || n,
          'chan_00000000-0000-7000-8000-' || lpad((n % least($webhooks, 100) + 10)::text, 12, '0'), 'Say what came.',
          case when n % 10 = 0 then 'inactive' else 'active' end, 10, 100
   from generate_series(1, $webhooks) n`,
  `insert into webhook_traffic (webhook_id, accepted, last_event_at) select id, 1, now() from webhooks`,
  `insert into webhook_tokens (hash, webhook_id, sealed, hint) select md5(id), id, null, 'abcd' from webhooks`,
  history,
  `insert into events (id, source_id, run_id, status, received_at, settled_at, sender_address, headers, delivery_id,
                       verification, size_bytes, body)
   select event_id, webhook_id, run_id, status, at, at, '192.0.2.1', '{"user-agent":"bench"}', 'delivery-' || n, 'off', 440,
          convert_to('{"n":' || n || ',"text":"' || repeat(md5(n::text), 13) || '"}', 'UTF8')
   from filled`,
  `insert into delivery_keys (key, event_id, created_at) select gen_random_uuid(), event_id, now() from filled`,
  `insert into tool_sets (digest, tools) values ('filled', '[]') on conflict do nothing`,
  `insert into runs (id, trigger, source_id, event_id, channel_id, requester, prompt, system, model_provider, model_name,
                     delimiter, tool_set, status, steps, asked_at, created_at, started_at, ended_at, error_code, error_message)
   select run_id, 'webhook', webhook_id, event_id, channel_id, '{"kind":"webhook"}', 'Say what came.', 'You are Bellhop.',
          'offline', 'offline', 'word', 'filled', case when status = 'failed' then 'failed' else 'succeeded' end, 1, at, at, at,
          at, case when status = 'failed' then 'model_failed' end, case when status = 'failed' then 'It failed.' end
   from filled where status in ('done', 'failed')`,
  `insert into messages (id, channel_id, author_kind, author_name, text, run_id, created_seq, seq, created_at)
   select message_id, channel_id, 'agent', 'Bellhop', 'Order ' || n || ' came.', run_id, n, n, at
   from filled where status in ('done', 'failed')`,
  `insert into replies (run_id, kind, text, state, message_id, created_at, posted_at)
   select run_id, 'answer', 'Order ' || n || ' came.', 'posted', message_id, at, at from filled where status in ('done', 'failed')`,
  `insert into approvals (id, kind, status, run_id, call_id, tool, tool_id, connector_id, capability, request, digest,
                          tool_version, connector_version, requested_by, channel_id, expires_at, decided_at)
   select replace(run_id, 'run_', 'apr_'), 'approve', case when n % 20000 = 0 then 'pending' else 'approved' end, run_id,
          replace(run_id, 'run_', 'call_'), 'shop__refund', 'tool_x', 'con_x', 'write',
          '{"method":"POST","url":"https://shop.example.com/","headers":{},"body":null}', 'd', 1, 1,
          json_build_object('kind', 'webhook', 'id', webhook_id, 'name', 'Filled'), channel_id, at + interval '31 days', at
   from filled where status = 'done' and n % 10 = 0`,
  `insert into audit_log (id, at, actor_kind, actor_id, actor_name, action, subject)
   select replace(run_id, 'run_', 'aud_'), at, 'user', 'usr_x', 'Somebody', 'webhook.changed', webhook_id
   from filled where n % 10 = 0`,
  'drop table filled',
]

/** Rows as after months of use, generated in the database. */
export async function fill(client: pg.Client, size: Size): Promise<void> {
  for (const statement of statements) {
    await client.query(
      statement.replaceAll('$webhooks', String(size.webhooks)).replaceAll('$events', String(size.events)),
    )
  }
  await client.query('vacuum (analyze)')
}

const noisy = 'hook_00000000-0000-7000-8000-000000000009'

/** Lets this many events wait at once, for a paused webhook, so that none is dispatched while we measure. */
export async function waitInStorm(client: pg.Client, events: number): Promise<void> {
  await client.query(`update webhooks set paused_at = now() where id = '${noisy}'`)
  await client.query(`
    insert into events (id, source_id, run_id, status, received_at, sender_address, headers, verification, size_bytes, body)
    select 'evt_' || id, '${noisy}', 'run_' || id, 'accepted', now(), '192.0.2.1', '{}', 'off', 2, '{}'
    from (
      select substr(ms, 1, 8) || '-' || substr(ms, 9, 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0') as id
      from (select n, lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') as ms from generate_series(1, ${events}) n) t
    ) t`)
}

/** Settles all of them in one transaction, without a vacuum. */
export async function leaveStorm(client: pg.Client): Promise<void> {
  await client.query(
    `update events set status = 'done', settled_at = now() where source_id = '${noisy}' and status = 'accepted'`,
  )
}
