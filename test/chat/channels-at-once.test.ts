import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { storeChannels } from '../../src/chat/channels/store.ts'
import type { Channel } from '../../src/chat/contract.ts'
import { forgetOldInbound } from '../../src/chat/delivery/inbound/store.ts'
import { storeEvents } from '../../src/chat/delivery/inbound/store-events.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { systemActor } from '../../src/shared/actor.ts'
import { newId } from '../../src/shared/ids.ts'
import { newWebhook } from '../../src/webhooks/contract.ts'
import { createWebhook } from '../../src/webhooks/manage/create-webhook.ts'
import { askDuring, someoneWaits } from '../support/ask-during.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'chat:built-in-workspace',
  'renaming, deleting or choosing a channel while somebody else changes it gets a clear answer',
  async () => {
    await using app = await startTestApp()
    const { ctx } = app.app
    const { db } = ctx
    const add = async (name: string) => (await app.api<Channel>('POST', '/api/v1/channels', { name })).body.id
    const during = async (first: (tx: Db) => Promise<unknown>, ask: () => Promise<{ status: number }>) =>
      (await askDuring(db, first, ask)).status
    const renamed = (id: string, to: string) => (tx: Db) =>
      sql`update channels set name = ${to} where id = ${id}`.execute(tx)
    const deleted = (id: string) => (tx: Db) =>
      sql`update channels set deleted_at = now() where id = ${id}`.execute(tx)
    const path = (id: string) => `/api/v1/channels/${id}`
    const webhook = (channelId: string) => ({ name: 'Orders', channelId, prompt: 'Say what happened.' })

    const [a, b] = [await add('a'), await add('b')]
    assert.equal(await during(renamed(a, 'taken'), () => app.api('PATCH', path(b), { name: 'Taken' })), 409)
    assert.equal(await during(deleted(a), () => app.api('PATCH', path(a), { name: 'late' })), 404)
    const [c, d] = [await add('c'), await add('d')]
    assert.equal(await during(deleted(c), () => app.api('DELETE', path(c))), 404)
    assert.equal(await during(deleted(d), () => app.api('POST', '/api/v1/webhooks', webhook(d))), 422)

    let drop: Promise<{ status: number }> | undefined
    const audit = async () => {
      drop = app.api('DELETE', path(b))
      await until(() => someoneWaits(db))
    }
    const caller = { actor: systemActor, source: '127.0.0.1' }
    await createWebhook({ ...ctx, audit }, caller, newWebhook.parse(webhook(b)))
    assert.equal((await drop)?.status, 409, 'a webhook has just been given it')
  },
)

verifies(
  'chat:inbound-durable',
  'updates of a platform’s channels block nobody, and old inbound messages, or those of a deleted workspace, are deleted, however many there are',
  async () => {
    // Without the upkeep of a worker, which would delete the same rows at the same time.
    await using app = await startTestApp({ env: { ROLE: 'web' } })
    const { ctx } = app.app
    const { db } = ctx
    const workspaceId = newId('workspace')
    await sql`
      insert into workspaces (id, platform, name, settings) values (${workspaceId}, 'discord', 'Team', '{}')`.execute(
      db,
    )
    const [one, other] = [
      { externalId: '1', name: 'one' },
      { externalId: '2', name: 'other' },
    ]
    const told = { channels: [other, one] }
    const tell = (tx: Db) => storeEvents(ctx, tx, workspaceId, told)
    await db.transaction().execute(tell)

    let told2: Promise<void> | undefined
    await db.transaction().execute(async (tx) => {
      await storeChannels(tx, workspaceId, [one], ctx.now())
      told2 = db.transaction().execute(tell)
      await until(() => someoneWaits(db))
      await storeChannels(tx, workspaceId, [other], ctx.now())
    })
    await told2

    await sql`
      insert into inbound_messages (workspace_id, event_key, thread_key, sender_id, state, received_at)
      select ${workspaceId}, 'message:' || n, '1:' || n, '7', 'done', now() - interval '8 days'
      from generate_series(1, 2500) n`.execute(db)
    await sql`
      insert into inbound_messages (workspace_id, event_key, thread_key, sender_id, state, body, received_at) values
        (${workspaceId}, 'message:a', '1:a', '7', 'waiting', '{}', now() - interval '8 days'),
        (${workspaceId}, 'message:b', '1:b', '7', 'aside', '{}', now() - interval '2 hours'),
        (${workspaceId}, 'message:c', '1:c', '7', 'aside', '{}', now())`.execute(db)
    await forgetOldInbound(db)
    const { rows: left } = await sql<{ state: string; body: unknown }>`
      select state, body from inbound_messages order by event_key`.execute(db)
    assert.deepEqual(left, [
      { state: 'waiting', body: {} },
      { state: 'done', body: null },
      { state: 'aside', body: {} },
    ])

    assert.equal((await app.api('DELETE', `/api/v1/workspaces/${workspaceId}`)).status, 204)
    await forgetOldInbound(db)
    const { rows: unread } = await sql`
      select from inbound_messages where state <> 'done' or body is not null`.execute(db)
    assert.deepEqual(unread, [], 'nobody would ever read it')
  },
)
