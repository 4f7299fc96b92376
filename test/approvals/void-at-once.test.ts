import assert from 'node:assert/strict'
import { type RawBuilder, sql } from 'kysely'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

/** A webhook whose run requests a refund for each event, and an edit that makes the approval void. */
async function startScene(edit: string) {
  await using stack = new AsyncDisposableStack()
  const asksOnce = [{ calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }, { text: 'So be it.' }]
  const model = stack.use(await startStubAnthropic(asksOnce))
  const shop = stack.use(await startShopOn(await sharedApp(), { model }))
  const webhook = await shop.createWebhook()
  const connector = `/api/v1/connectors/${shop.connectorId}`
  const { tools } = await shop.app.get<{ tools: { id: string; name: string }[] }>(connector)
  const refund = tools.find(({ name }) => name === 'refund')
  const edits: Record<string, Parameters<typeof shop.app.api>> = {
    'the channel’s list leaves the connector out': [
      'PATCH',
      `/api/v1/channels/${shop.channelId}`,
      { connectorIds: [] },
    ],
    'the webhook may only read': ['PATCH', `/api/v1/webhooks/${webhook.id}`, { ceiling: 'read' }],
    'the connector is deleted': ['DELETE', connector],
    'the tool is switched off': ['PATCH', `${connector}/tools/${refund?.id}`, { permission: 'off' }],
  }
  const opened = stack.move()
  return {
    ...shop,
    db: shop.app.app.ctx.db,
    sendEvent: () => shop.sendEvent(webhook),
    approvals: async () =>
      (await shop.app.get<{ items: ApprovalShape[] }>(`/api/v1/approvals?webhookId=${webhook.id}`)).items,
    async edit(): Promise<void> {
      const { status, text } = await shop.app.api(...(edits[edit] ?? assert.fail(edit)))
      assert.ok(status === 200 || status === 204, text)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** The first proceeds to its write to the table, then the second as far as it can; then both continue. */
async function interleave<First>(
  db: Db,
  table: string,
  first: () => Promise<First>,
  second: { begin(): Promise<unknown>; isDone(): Promise<boolean> },
): Promise<First> {
  // Exactly these: other statements may wait for a moment, too, such as the one that seals the audit log.
  const isWaiting = async (what: RawBuilder<unknown>) => {
    const { rows } = await sql`
      select from pg_locks join pg_stat_activity a using (pid)
      where a.datname = current_database() and not granted and ${what}`.execute(db)
    return rows.length > 0
  }
  const insertWaits = sql`locktype = 'relation' and a.query ilike ${`%insert into ${table}%`}`
  const askingWaits = sql`locktype = 'advisory' and objid::bigint = hashtext('approvals.asking')::bigint & 4294967295`
  const both = await db.transaction().execute(async (tx) => {
    await sql`lock table ${sql.table(table)} in exclusive mode`.execute(tx)
    const one = first()
    await until(() => isWaiting(insertWaits))
    const two = second.begin()
    await until(async () => (await isWaiting(askingWaits)) || (await second.isDone()))
    return { one, two }
  })
  await both.two
  return await both.one
}

for (const edit of [
  'the channel’s list leaves the connector out',
  'the webhook may only read',
  'the connector is deleted',
  'the tool is switched off',
]) {
  verifies(
    ['permissions:rights-of-now', 'approvals:void-on-edit'],
    `an approval that is about to be requested while ${edit} is not requested`,
    async () => {
      await using scene = await startScene(edit)
      let runId = ''
      await interleave(scene.db, 'audit_log', scene.edit, {
        begin: async () => {
          runId = (await scene.sendEvent()).runId
        },
        isDone: async () => (await scene.approvals()).length > 0,
      })
      const run = await scene.endedRun(runId)
      assert.deepEqual([run.status, run.toolCalls[0]?.decision], ['succeeded', 'refuse'])
      assert.deepEqual(await scene.approvals(), [])
    },
  )

  verifies(
    ['permissions:rights-of-now', 'approvals:void-on-edit'],
    `an approval that is being requested while ${edit} is void`,
    async () => {
      await using scene = await startScene(edit)
      let isEdited = false
      const { runId } = await interleave(scene.db, 'tool_calls', scene.sendEvent, {
        begin: async () => {
          await scene.edit()
          isEdited = true
        },
        isDone: async () => isEdited,
      })
      const run = await scene.endedRun(runId)
      assert.deepEqual([run.status, run.toolCalls[0]?.error?.code], ['succeeded', 'approval_void'])
      assert.deepEqual(
        (await scene.approvals()).map(({ status }) => status),
        ['void'],
      )
      assert.equal(scene.target.seen.length, 0)
    },
  )
}
