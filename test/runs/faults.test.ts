import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { createLog } from '../../src/platform/log.ts'
import { advanceRun } from '../../src/runs/loop/advance-run.ts'
import { startRun } from '../../src/runs/loop/start/start-run.ts'
import { suspendRun } from '../../src/runs/loop/suspend-run.ts'
import { releaseRun, renewLease, takeRun } from '../../src/runs/store/leases.ts'
import { saveFailure } from '../../src/runs/store/replies.ts'
import { findRun, type Run } from '../../src/runs/store/run-rows.ts'
import { saveStep } from '../../src/runs/store/steps.ts'
import type { RunId } from '../../src/shared/ids.ts'
import { becomes } from '../support/becomes.ts'
import { faultPoints } from '../support/fault-points.ts'
import { autoTools, interruptRun } from '../support/interrupt-run.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

let fault: (point: string) => void = () => undefined
const faults = (point: string) => fault(point)
/** Without workers, where nobody else takes a run up. */
const sharedWeb = shareInFile(() => startTestApp({ env: { ...loopback, ROLE: 'web' }, faults }))
const errors: string[] = []
const sharedApp = shareInFile(async () => {
  const destination = { write: (line: string) => void errors.push(line) }
  const log = await createLog({ level: 'error', pretty: false, destination })
  return startTestApp({ env: loopback, faults, log })
})

verifies(
  'runs:journal',
  'a start that is repeated goes on with the run that it began before, without waiting for anybody to find it',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Seen.' }])
    await using shop = await startShopOn(await sharedWeb(), { model })
    fault = (point) => {
      if (point !== 'run.taken') return
      fault = () => undefined
      throw new Error('a planned fault')
    }
    const webhook = await shop.createWebhook()
    const receipt = await shop.sendEvent(webhook)
    const asked = { ...receipt, sourceId: webhook.id } as Parameters<typeof startRun>[1] // ids as the ingress gives them
    const start = () => startRun(shop.app.app.ctx, asked, new AbortController().signal)
    await assert.rejects(start(), /a planned fault/)
    assert.equal((await shop.readRun(receipt.runId)).status, 'running')
    await start()
    const run = await shop.readRun(receipt.runId)
    assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Seen.'])
  },
)

verifies(
  'runs:writes-in-order',
  'a write is not sent if the one before it in the same step could not be stored',
  async () => {
    const refund = (id: string) => ({ name: 'shop__refund', input: { id } })
    await using model = await startStubAnthropic([
      { calls: [refund('A-1'), refund('A-2')] },
      { text: 'Paid back.' },
    ])
    await using shop = await startShopOn(await sharedWeb(), { model, tools: autoTools })
    const { db } = shop.app.app.ctx
    await sql`
      create function refuse_call() returns trigger language plpgsql as $$
      begin raise exception 'could not read block 7 of relation tool_calls'; end $$`.execute(db)
    await sql`
      create trigger refuse_call before insert on tool_calls for each row when (new.input like '%A-1%')
      execute function refuse_call()`.execute(db)
    const webhook = await shop.createWebhook()
    const receipt = await shop.sendEvent(webhook)
    const asked = { ...receipt, sourceId: webhook.id } as Parameters<typeof startRun>[1] // ids as the receipt gives them
    const start = () => startRun(shop.app.app.ctx, asked, new AbortController().signal)
    await assert.rejects(start(), /could not read block 7/)
    assert.deepEqual(shop.target.seen, [])

    await sql`drop trigger refuse_call on tool_calls`.execute(db)
    await start()
    assert.deepEqual(
      shop.target.seen.map(({ url }) => url),
      ['/orders/A-1/refund', '/orders/A-2/refund'],
    )
  },
)

verifies(
  ['runs:journal', 'runs:no-repeated-write', 'runs:outbox'],
  'after an exception at any point of a run there is still one reply, and no write is repeated',
  async () => {
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'Paid back.' }
        : {
            calls: [
              { name: 'shop__refund', input: { id: 'A-1' } },
              { name: 'shop__get_order', input: { id: 'A-1' } },
            ],
          },
    )
    const struck: string[] = []
    await using shop = await startShopOn(await sharedApp(), { model, tools: autoTools })
    const { db } = shop.app.app.ctx
    const webhook = await shop.createWebhook()
    for (const point of faultPoints) {
      const [writes, replies, asked] = [countWrites(), (await shop.replies()).length, model.requests.length]
      fault = (reached) => {
        if (reached !== point) return
        fault = () => undefined
        struck.push(point)
        throw new Error(`a planned fault at ${point}`)
      }
      const { runId } = await shop.sendEvent(webhook)
      await until(() => struck.includes(point))
      // Before anybody works on the run, only the end of its lease lets another worker take it.
      if (point === 'run.started')
        await sql`update runs set lease_until = now() where id = ${runId}`.execute(db)
      const run = await shop.endedRunWithoutPauses(runId)
      assert.deepEqual([point, run.status, run.reply?.text], [point, 'succeeded', 'Paid back.'])
      assert.equal(countWrites() - writes, 1, `writes with a fault at ${point}`)
      assert.equal((await shop.replies()).length - replies, 1, `replies with a fault at ${point}`)
      // A model call is repeated only if its answer could not be stored.
      assert.equal(
        model.requests.length - asked,
        point === 'model.answered' ? 3 : 2,
        `model calls with a fault at ${point}`,
      )
    }
    assert.deepEqual(struck, faultPoints)

    function countWrites(): number {
      return shop.target.seen.filter(({ method }) => method === 'POST').length
    }
  },
)

verifies(
  ['runs:failure-notice', 'dispatch:dead-letter'],
  'a run that fails at every try ends with one notice after five tries, and others continue',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Fine.' }])
    await using shop = await startShopOn(await sharedApp(), { model })
    fault = (point) => {
      if (point === 'model.answered') throw new Error('poison')
    }
    const webhook = await shop.createWebhook()
    const bad = await shop.endedRunWithoutPauses((await shop.sendEvent(webhook)).runId)
    assert.deepEqual([bad.status, bad.error?.code], ['failed', 'internal_error'])
    assert.doesNotMatch(JSON.stringify(bad), /poison/, 'the cause is only in the log')
    assert.equal(model.requests.length, 5)
    assert.match(givenUp(bad.id), /poison/)
    fault = () => undefined
    assert.equal((await shop.endedRun((await shop.sendEvent(webhook)).runId)).status, 'succeeded')
    const notices = (await shop.replies()).filter(({ author }) => author.kind === 'system')
    assert.deepEqual(
      notices.map(({ runId }) => runId),
      [bad.id],
    )
    assert.match(notices[0]?.text ?? '', /could not finish.*\/runs\/run_/)
  },
)

verifies(
  'runs:one-worker',
  'a worker whose lease has expired writes nothing more: no step, no reply, no failure, no release',
  async () => {
    const hungUp = Promise.withResolvers<void>()
    await using model = await startStubAnthropic((_request, index) =>
      index === 0 ? { hang: true, onHungUp: hungUp.resolve } : { text: 'From the second one.' },
    )
    await using shop = await startShopOn(await sharedApp(), { model })
    const { ctx } = shop.app.app
    const { db, queue } = ctx
    const id = (await shop.sendEvent(await shop.createWebhook())).runId as RunId // the answer of the ingress
    await until(() => model.requests.length === 1)
    const before = await findRun(db, id)
    assert.ok(before)
    const taken = await db.transaction().execute(async (tx) => {
      const leaseEnds = (when: string) =>
        sql`update runs set lease_until = now() + ${when}::interval where id = ${id}`.execute(tx)
      await leaseEnds('1 minute')
      assert.equal((await takeRun(tx, id)).kind, 'busy')
      await leaseEnds('-1 second')
      const second = await takeRun(tx, id)
      // For a minute no other worker takes over.
      await leaseEnds('1 minute')
      return second
    })
    assert.ok(taken.kind === 'taken')
    await refusesAll(before)
    assert.deepEqual(await findRun(db, id), taken.run)
    // It notices, and aborts its model call.
    await hungUp.promise

    // A job for the run meanwhile is retried later.
    await advanceRun(ctx, id, new AbortController().signal)
    const { rows: later } = await sql`
      select from jobs.job where name = 'run.advance' and singleton_key = ${id}`.execute(db)
    assert.ok(later.length > 0)
    assert.equal(await releaseRun(db, taken.run, { status: 'running', workMs: 1, madeProgress: true }), true)
    const run = await shop.endedRun(id)
    assert.deepEqual(
      [run.status, run.reply?.text, run.steps.length],
      ['succeeded', 'From the second one.', 1],
    )
    assert.equal((await shop.replies()).length, 1)

    // A run that kills its worker each time is not retried forever.
    await sql`
      with reply as (delete from replies where run_id = ${id})
      update runs set status = 'running', ended_at = null, tries = 5 where id = ${id}`.execute(db)
    await queue.send(db, 'run.advance', { runId: id }, { key: id })
    const given = await shop.endedRun(id)
    assert.deepEqual([given.status, given.error?.code], ['failed', 'internal_error'])
    assert.match(givenUp(id), /"reason":"The process died/)
    assert.equal(model.requests.length, 2)
    // Nor does its last worker write anything after the run has ended.
    const over = await findRun(db, id)
    assert.ok(over)
    await refusesAll(over)
    assert.deepEqual(await findRun(db, id), over)

    async function refusesAll(late: Run): Promise<void> {
      const lost = { name: 'LeaseLost' }
      const now = new Date()
      const step = { seq: 9, answer: [], calls: [], results: null, finishReason: 'stop', modelMs: 1 }
      const model = { provider: 'offline', name: '' }
      const usage = { inputTokens: 1, outputTokens: 1, cost: 0 }
      const progress = {
        step: { ...step, model, usage, startedAt: now, endedAt: now },
        resultsBefore: null,
        workMs: 1,
      }
      await assert.rejects(saveStep(db, late, progress), lost)
      const reply = { kind: 'answer', text: 'Late.' } as const
      await assert.rejects(saveStep(db, late, { ...progress, reply }), lost)
      const failure = { code: 'internal_error', message: 'Late.', notice: 'Late.', workMs: 1 }
      await assert.rejects(saveFailure(db, late, failure), lost)
      const { signal } = new AbortController()
      const ownership = { isOwned: () => false, ensure: async () => undefined }
      const hands = { workMs: () => 1, lost: signal, stopping: signal, ownership }
      await assert.rejects(suspendRun(ctx, late, { until: 'decided' }, hands), lost)
      assert.equal(await renewLease(db, late), false)
      assert.equal(await releaseRun(db, late, { status: 'running', workMs: 1, madeProgress: true }), false)
      const { rows: parked } = await sql`select from events where parked`.execute(db)
      assert.equal(parked.length, 0)
    }
  },
)

verifies(
  'runs:suspects-by-turns',
  'runs whose workers died twice go on one at a time, so that only the one that kills its worker is tried until it is given up',
  async () => {
    const held: (() => void)[] = []
    await using model = await startStubAnthropic(async () => {
      await new Promise<void>((resolve) => held.push(resolve))
      return { text: 'Survived.' }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const { db, queue } = shop.app.app.ctx
    const webhook = await shop.createWebhook()
    const ids: RunId[] = []
    for (let n = 0; n < 3; n++) ids.push((await shop.sendEvent(webhook)).runId as RunId) // the answer of the ingress
    await until(() => held.length === 3)
    // As after the second death of the process that worked on them; long ago, so that the pauses are over.
    await sql`
      update runs set tries = 2, fence = fence + 1, lease_until = now() - interval '1 minute' where id = any(${ids})`.execute(
      db,
    )
    const goOn = () =>
      Promise.all(ids.map((runId) => queue.send(db, 'run.advance', { runId }, { key: runId })))
    for (let ended = 0; ended < 3; ended++) {
      await goOn()
      await until(() => held.length === 4 + ended)
      // Each has been asked for again by now, and two of them are told to wait.
      await until(async () => {
        const { rows } = await sql`
          select from jobs.job where name = 'run.advance' and singleton_key = any(${ids}) and state = 'created'
            and start_after > created_on`.execute(db)
        return rows.length === 2 - ended
      })
      assert.equal(held.length, 4 + ended, 'one at a time')
      held[3 + ended]?.()
      await becomes(
        async () =>
          (await Promise.all(ids.map(shop.readRun))).filter(({ status }) => status === 'succeeded').length,
        ended + 1,
      )
    }
  },
)

verifies(
  ['runs:journal', 'runs:one-worker', 'runs:no-repeated-write'],
  'after a worker is killed right after saving a step, another one asks the model only for the rest',
  async () => {
    const { run, replies, writes, modelCalls } = await interruptRun('step.saved', 'SIGKILL')
    assert.deepEqual([run.status, run.reply?.text, replies.length], ['succeeded', 'Paid back.', 1])
    assert.deepEqual([writes, modelCalls], [1, 2])
  },
)

verifies(
  ['runs:one-worker', 'runs:outbox'],
  'a worker that was suspended before posting its reply finds that another one owns the run, and posts nothing',
  async () => {
    const { run, replies, writes } = await interruptRun('reply.saved', 'SIGSTOP')
    assert.deepEqual([run.status, run.reply?.text, replies.length, writes], ['succeeded', 'Paid back.', 1, 1])
  },
)

verifies(
  ['runs:no-repeated-write'],
  'a worker that dies during a write leaves an unknown outcome: the write is not sent again, and the model is told',
  async () => {
    const { run, replies, writes } = await interruptRun('tool.asked', 'SIGKILL')
    assert.deepEqual([run.status, replies.length, writes], ['succeeded', 1, 1])
    const refund = run.toolCalls.find(({ tool }) => tool === 'shop__refund')
    assert.deepEqual([refund?.state, refund?.error?.code], ['unknown', 'outcome_unknown'])
    assert.match(run.steps[0]?.calls[0]?.result ?? '', /^error outcome_unknown: .*not sent again/)
  },
)

/** The line about a run that was given up. */
function givenUp(id: string): string {
  return errors.find((line) => line.includes('run.given_up') && line.includes(id)) ?? ''
}
