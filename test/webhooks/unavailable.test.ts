import assert from 'node:assert/strict'
import { sql } from 'kysely'
import pg from 'pg'
import { watchBacklog } from '../../src/events/inbox/backlog.ts'
import { openInbox } from '../../src/events/inbox/inbox.ts'
import { createLog } from '../../src/platform/log.ts'
import { newId, runOf } from '../../src/shared/ids.ts'
import { someoneWaits } from '../support/ask-during.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { count, startWebhookApp } from './start-webhook-app.ts'

const diskFull = { problem: 'disk-full', says: 'The disk is nearly full.' }
const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

verifies(
  'hooks:unavailable-503',
  'a full inbox answers 503 until it has room again, and the retry is no duplicate',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create()
    const limit = (events: number) =>
      sql`insert into settings (name, value) values ('inbox', ${JSON.stringify({ maxWaitingEvents: events })})
        on conflict (name) do update set value = excluded.value`.execute(app.db)
    const send = () => app.post(endpointUrl, '{}', { 'webhook-id': 'm1' })
    await app.post(endpointUrl, '{}')
    await limit(1)
    await until(async () => (await app.post(endpointUrl, '[]')).status === 503)
    const full = await send()
    assert.deepEqual(
      [full.status, full.body.type, full.headers.get('retry-after')],
      [503, 'backlog-full', '30'],
    )
    assert.equal((await app.test.api('GET', '/readyz')).status, 503, 'every delivery is refused')
    await sql`delete from settings where name = 'inbox'`.execute(app.db)
    await until(async () => (await send()).body.status === 'accepted')
  },
)

verifies(
  'hooks:unavailable-503',
  'a disk that is nearly full answers 503, and the log says so once',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create()
    await sql`insert into settings (name, value) values ('inbox', '{"minFreeBytes":1e18}')`.execute(app.db)
    // The disk of an external database cannot be measured, so this one keeps accepting.
    assert.equal((await app.post(endpointUrl, '{}')).status, 200)
    const words: string[] = []
    const log = await createLog({
      level: 'info',
      pretty: false,
      destination: { write: (line) => void words.push(JSON.parse(line).says) },
    })
    await using backlog = watchBacklog({
      db: app.db,
      folder: import.meta.dirname,
      log,
      onCounted: () => undefined,
    })
    await backlog.look()
    assert.deepEqual(backlog.fullBecause(), diskFull)
    await backlog.look()
    await sql`delete from settings where name = 'inbox'`.execute(app.db)
    await backlog.look()
    assert.equal(backlog.fullBecause(), null)
    assert.deepEqual(words, [
      'The disk is nearly full. Deliveries are refused with 503.',
      'Deliveries are accepted again.',
    ])
  },
)

verifies(
  'hooks:unavailable-503',
  'after a long count of the waiting events the next one is put off, but not the look at the disk',
  async () => {
    const app = await sharedApp()
    const counts: number[] = []
    await using backlog = watchBacklog({
      db: app.db,
      folder: import.meta.dirname,
      log: await createLog({ level: 'error', pretty: false }),
      onCounted: (waiting) => counts.push(waiting),
    })
    // The count waits for the lock: far longer than a count that may be repeated at once.
    const slow = app.db.transaction().execute(async (tx) => {
      await sql`lock table events`.execute(tx)
      const looked = backlog.look()
      await sql`select pg_sleep(0.4)`.execute(tx)
      return { looked }
    })
    await (await slow).looked
    await sql`insert into settings (name, value) values ('inbox', '{"minFreeBytes":1e18}')`.execute(app.db)
    await backlog.look()
    assert.deepEqual(counts, [await count(app.db, 'events', `status = 'accepted'`)])
    assert.deepEqual(backlog.fullBecause(), diskFull)
    await sql`delete from settings where name = 'inbox'`.execute(app.db)
  },
)

verifies(
  ['house:leaves-first', 'hooks:unavailable-503'],
  'a process that is about to stop is not ready and takes deliveries all the same; while it stops, a delivery gets 503 with Retry-After',
  async () => {
    await using app = await startWebhookApp({ quiet: true })
    const { endpointUrl } = await app.create()
    app.test.app.leave()
    assert.equal((await app.test.api('GET', '/readyz')).status, 503)
    const taken = await app.post(endpointUrl, '{}')
    assert.deepEqual([taken.status, taken.headers.get('connection')], [200, 'close'])
    app.test.app.ctx.lifecycle.phase = 'stopping'
    const answer = await app.post(endpointUrl, '{}')
    assert.deepEqual(
      [answer.status, answer.body.type, answer.headers.get('retry-after')],
      [503, 'unavailable', '5'],
    )
  },
)

function arrival(webhookId: string) {
  return {
    eventId: newId('event'),
    webhookId: webhookId as `hook_${string}`,
    trigger: 'webhook' as const,
    key: null,
    bindsBody: false,
    deliveryId: null,
    source: '127.0.0.1',
    headers: {},
    contentType: null,
    verification: 'off' as const,
    body: Buffer.from('{}'),
    payload: null,
  }
}

verifies(
  'hooks:unavailable-503',
  'while the database is unavailable, an event is refused and not lost',
  async () => {
    const pool = new pg.Pool({ host: '127.0.0.1', port: 1, connectionTimeoutMillis: 200 })
    await using inbox = openInbox({
      pool,
      onAccepted: () => assert.fail(),
      onError: () => undefined,
    })
    assert.deepEqual(await inbox.put(arrival('hook_x')), { outcome: 'unavailable' })
    await pool.end()
  },
)

verifies(
  'hooks:unavailable-503',
  'an event that cannot be stored costs no other its place, and a full disk is called that',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    await sql`
      create function refuse_event() returns trigger language plpgsql as $$
      begin
        if new.body = '"full"' then raise exception 'No space left on device' using errcode = '53100'; end if;
        raise exception 'could not read block 7';
      end $$`.execute(app.db)
    await sql`
      create trigger refuse_event before insert on events for each row when (new.body in ('"full"', '"bad"'))
      execute function refuse_event()`.execute(app.db)
    const { inbox } = app.test.app.ctx.webhooks
    const bodies = ['{}', '"bad"', '[]', '1']
    const receipts = await Promise.all(
      bodies.map((body) => inbox.put({ ...arrival(id), body: Buffer.from(body) })),
    )
    assert.deepEqual(
      receipts.map(({ outcome }) => outcome),
      ['accepted', 'unavailable', 'accepted', 'accepted'],
    )
    const full = await app.post(endpointUrl, '"full"')
    assert.deepEqual([full.status, full.body.type, full.headers.get('retry-after')], [503, 'disk-full', '30'])
    assert.equal((await app.test.api('GET', '/readyz')).status, 503, 'every delivery is refused')
    assert.equal((await app.post(endpointUrl, '{}')).body.type, 'disk-full', 'it is not tried')
    await sql`drop function refuse_event() cascade`.execute(app.db)
    await until(async () => (await app.test.api('GET', '/readyz')).status === 200)
    assert.equal((await app.post(endpointUrl, '{}')).status, 200)
  },
)

verifies(
  'hooks:committed-before-answer',
  'a connection lost around the commit makes one event, not two and not none',
  async () => {
    const app = await sharedApp()
    const { id } = await app.create()
    // Late: the server goes on with what it had received, and commits when the second try is under way.
    for (const moment of ['before', 'after', 'late'] as const) {
      let broken = false
      let late: Promise<unknown> | undefined
      const real = app.test.app.ctx.store.database.pool
      const lost = Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' })
      // The driver as it behaves when the server goes away around one commit.
      const pool = {
        query: real.query.bind(real),
        async connect() {
          const client = await real.connect()
          const query = client.query.bind(client)
          const breaking = async (...parameters: Parameters<typeof real.query>) => {
            if (broken || String(parameters[0]) !== 'commit') return await query(...parameters)
            broken = true
            if (moment === 'after') await query(...parameters)
            if (moment === 'late') late = until(() => someoneWaits(app.db)).then(() => query(...parameters))
            throw lost
          }
          const release = client.release.bind(client)
          const releaseThen = (destroy: boolean) => {
            if (destroy && late) void late.then(() => release(true))
            else release(destroy)
          }
          return Object.assign(client, { query: breaking, release: releaseThen })
        },
      } as unknown as pg.Pool // the inbox uses nothing else of a pool
      await using inbox = openInbox({
        pool,
        onAccepted: () => undefined,
        onError: assert.fail,
      })
      const event = arrival(id)
      const receipt = await inbox.put(event)
      assert.deepEqual(
        receipt,
        { outcome: 'accepted', eventId: event.eventId, runId: runOf(event.eventId) },
        moment,
      )
      assert.equal(await count(app.db, 'events', `id = '${event.eventId}'`), 1, moment)
    }
  },
)
