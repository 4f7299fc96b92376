import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { systemActor } from '../../src/actor.ts'
import type { Channel } from '../../src/chat/contract.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { newWebhook } from '../../src/webhooks/contract.ts'
import { createWebhook } from '../../src/webhooks/create-webhook.ts'
import { askDuring, someoneWaits } from '../support/ask-during.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'chat:built-in-workspace',
  'who renames, deletes or chooses a channel while somebody else changes it gets a clear answer',
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
