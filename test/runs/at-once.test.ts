import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'
import { createLog } from '../../src/platform/log.ts'
import { startRun } from '../../src/runs/loop/start/start-run.ts'
import type { EventId, RunId, WebhookId } from '../../src/shared/ids.ts'
import { countWaiting } from '../support/ask-during.ts'
import { dumpDatabase } from '../support/dump-database.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { type Answer, loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const marker = 'jane-4711-planted'

let fault: (point: string) => void | Promise<void> = () => undefined
/** What the app has logged since the test began. */
const lines: string[] = []
const sharedApp = shareInFile(async () => {
  const destination = { write: (line: string) => void lines.push(line) }
  const log = await createLog({ level: 'warn', pretty: false, destination })
  return await startTestApp({ env: loopback, log, faults: (point) => fault(point) })
})
/** Without workers nobody else starts the run. */
const sharedWeb = shareInFile(() => startTestApp({ env: { ...loopback, ROLE: 'web' } }))

type Script = Parameters<typeof startStubAnthropic>[0]

type Ask = () => Promise<Answer> | undefined

/** Everybody waits for what `hold` locks, in this order, and continues once all of them do. */
async function inOrder(db: Db, hold: (tx: Db) => Promise<unknown>, ...asks: Ask[]) {
  const answers = await db.transaction().execute(async (tx) => {
    await hold(tx)
    const asked: ReturnType<Ask>[] = []
    for (const [n, ask] of asks.entries()) {
      asked.push(ask())
      await until(async () => (await countWaiting(db)) > n, 20_000)
    }
    return { asked }
  })
  return await Promise.all(answers.asked)
}

/** A shop whose worker stops at one point of its run until the test lets it go on. */
async function startHalted(point: string, script: Script, name = marker) {
  await using stack = new AsyncDisposableStack()
  lines.length = 0
  const [there, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const model = stack.use(await startStubAnthropic(script))
  const shop = stack.use(await startShopOn(await sharedApp(), { model }))
  fault = async (reached) => {
    if (reached !== point) return
    there.resolve()
    await goOn.promise
  }
  stack.defer(() => {
    fault = () => undefined
    goOn.resolve()
  })
  const { eventId, runId } = await shop.sendEvent(await shop.createWebhook(), { name })
  await there.promise
  const { db, store } = shop.app.app.ctx
  const opened = stack.move()
  return {
    ...shop,
    db,
    eventId,
    runId,
    goOn: () => void goOn.resolve(),
    erase: () => shop.app.api('DELETE', `/api/v1/events/${eventId}`),
    cancel: () => shop.app.api('POST', `/api/v1/runs/${runId}/cancel`),
    eventStatus: async () => (await shop.app.get<{ status: string }>(`/api/v1/events/${eventId}`)).status,
    async idle() {
      await until(async () => {
        const { rows } = await sql`select from jobs.job where state = 'active'`.execute(db)
        return rows.length === 0
      })
    },
    async leftovers() {
      const kept = (await dumpDatabase(store.database.pool)).filter(({ text }) => text.includes(marker))
      return kept.map(({ table, column }) => `${table}.${column}`)
    },
    deadlocks: () => lines.filter((line) => line.includes('deadlock')).map((line) => line.slice(0, 200)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const refund = [{ calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }]

verifies(
  ['runs:cancel', 'approvals:void-with-run'],
  'a run that is cancelled while it begins to wait for an approval is cancelled at once, without a deadlock',
  async () => {
    await using scene = await startHalted('tools.after', refund, 'jane')
    const { eventId, runId, cancel, goOn } = scene
    // The end of a run settles its event: whoever ends it waits here, and has locked the run by then.
    const event = (tx: Db) => sql`select from events where id = ${eventId} for update`.execute(tx)
    const [cancelled] = await inOrder(scene.db, event, cancel, () => void goOn())
    assert.equal(cancelled?.status, 200, cancelled?.text)
    await scene.idle()
    assert.deepEqual(scene.deadlocks(), [])
    assert.deepEqual(
      [(await scene.readRun(runId)).status, await scene.eventStatus()],
      ['cancelled', 'failed'],
    )
  },
)

verifies(
  'events:erase',
  'an event that is erased while its run ends is erased at once, without a deadlock',
  async () => {
    await using scene = await startHalted('reply.posted', [{ text: `It was ${marker}.` }])
    const { eventId, erase, goOn } = scene
    const event = (tx: Db) => sql`select from events where id = ${eventId} for update`.execute(tx)
    const [erased] = await inOrder(scene.db, event, erase, () => void goOn())
    assert.equal(erased?.status, 204, erased?.text)
    await scene.idle()
    assert.deepEqual(scene.deadlocks(), [])
    assert.deepEqual(await scene.leftovers(), [])
  },
)

const answers: [string, Script, string][] = [
  ['first answer', [{ text: `It was ${marker}.` }], 'model.answered'],
  [
    'answer after a tool call',
    [{ calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] }, { text: `It was ${marker}.` }],
    'tools.after',
  ],
]
for (const [what, script, point] of answers) {
  verifies(
    'events:erase',
    `nothing is left of an event that is erased while its run’s ${what} is being stored`,
    async () => {
      await using scene = await startHalted(point, script)
      const { runId, erase, goOn } = scene
      const run = (tx: Db) => sql`select from runs where id = ${runId} for update`.execute(tx)
      const [, erased] = await inOrder(scene.db, run, () => void goOn(), erase)
      assert.equal(erased?.status, 204, erased?.text)
      await scene.idle()
      assert.deepEqual(scene.deadlocks(), [])
      assert.deepEqual(await scene.leftovers(), [])
    },
  )
}

verifies(
  ['events:erase', 'approvals:void-with-run'],
  'an event that is erased while its channel is deleted or its connector is edited is erased at once, without a deadlock',
  async () => {
    await using model = await startStubAnthropic(() => ({ calls: refund[0]?.calls ?? [] }))
    await using scene = await startShopOn(await sharedApp(), { model })
    const { app, connectorId } = scene
    const { db, queue } = app.app.ctx
    const { body: channel } = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'refunds' })
    const webhook = await scene.createWebhook({ channelId: channel.id })
    const { eventId, runId } = await scene.sendEvent(webhook, { name: marker })
    const replay = await app.api<{ id: string }>('POST', `/api/v1/events/${eventId}/replay`, {})
    const runIds = [replay.body.id, runId] as RunId[] // the server gives ids of this kind
    for (const id of runIds) await scene.runWhen(id, ({ status }) => status === 'waiting')
    await until(
      async () =>
        (await scene.app.get<{ items: unknown[] }>(`/api/v1/channels/${channel.id}/messages`)).items
          .length === 2,
    )
    await app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, { channelId: scene.channelId })
    // A wake-up of the replay that is not committed: whoever voids its approval waits for it.
    const wake = (tx: Db) => queue.send(tx, 'run.advance', { runId: runIds[0] as RunId }, { key: runIds[0] })

    const erase = () => app.api('DELETE', `/api/v1/events/${eventId}`)
    const remove = () => app.api('DELETE', `/api/v1/channels/${channel.id}`)
    const edit = () => app.api('PATCH', `/api/v1/connectors/${connectorId}`, { authValue: 'another-token' })
    const answers = await inOrder(db, wake, erase, remove, edit)
    assert.deepEqual(
      answers.map((answer) => answer?.status),
      [204, 204, 200],
    )
    const { rows } =
      await sql`select from approvals where run_id = any(${runIds}) and status = 'void'`.execute(db)
    assert.equal(rows.length, 2)
  },
)

for (const other of ['cancelled a second time', 'started'] as const) {
  verifies(
    'runs:cancel',
    `an event that waits, and whose run is cancelled at the moment it is ${other}, has one cancelled run and one notice`,
    async () => {
      await using shop = await startShopOn(await sharedWeb())
      const { ctx } = shop.app.app
      const webhook = await shop.createWebhook()
      // The server gives ids of these kinds.
      const receipt = (await shop.sendEvent(webhook)) as { eventId: EventId; runId: RunId }
      const { eventId, runId } = receipt
      const cancel = () => shop.app.api('POST', `/api/v1/runs/${runId}/cancel`)
      const start = () =>
        startRun(ctx, { ...receipt, sourceId: webhook.id as WebhookId }, new AbortController().signal)
      const asked = await ctx.db.transaction().execute(async (tx) => {
        await sql`select from events where id = ${eventId} for share`.execute(tx)
        const first = cancel()
        await until(async () => (await countWaiting(ctx.db)) > 0)
        const second = other === 'started' ? start() : cancel()
        await until(async () => (await countWaiting(ctx.db)) > 1)
        return { first, second }
      })
      const answers = [(await asked.first).status, (await asked.second)?.status]
      assert.deepEqual(answers, other === 'started' ? [200, undefined] : [200, 409])
      assert.equal((await shop.readRun(runId)).status, 'cancelled')
      const { rows } = await sql`select from replies where run_id = ${runId}`.execute(ctx.db)
      assert.equal(rows.length, 1)
    },
  )
}
