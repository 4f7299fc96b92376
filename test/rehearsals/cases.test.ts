import assert from 'node:assert/strict'
import { pruneEvents } from '../../src/events/ledger/prune-events.ts'
import { pruneRuns } from '../../src/runs/history/prune-runs.ts'
import type { CaseShape, Check } from '../../src/runs/rehearsals/cases/contract.ts'
import { judgeChecks } from '../../src/runs/rehearsals/cases/judge-checks.ts'
import type { RehearsalShape } from '../../src/runs/rehearsals/contract.ts'
import { pruneRehearsals } from '../../src/runs/rehearsals/sweep-rehearsals.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'
import { draft, orders, startRehearsedShop } from './start-rehearsed-shop.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Shop = Awaited<ReturnType<typeof startRehearsedShop>>
type Page<T> = { items: T[] }

/** The events of these orders, in this order. */
async function eventsOf(shop: Shop, webhookId: string): Promise<string[]> {
  const { items } = await shop.app.get<Page<{ id: string }>>(`/api/v1/events?webhookId=${webhookId}`)
  return items.map(({ id }) => id).toReversed()
}

async function keep(
  shop: Shop,
  eventId: string | undefined,
  checks: Check[],
  name = 'Refunds',
): Promise<CaseShape> {
  const kept = await shop.app.api<CaseShape>('POST', '/api/v1/cases', { eventId, name, checks })
  assert.equal(kept.status, 201, kept.text)
  return kept.body
}

const passed = ({ events }: RehearsalShape, eventId: string | undefined) =>
  events.find((one) => one.eventId === eventId)?.checks.map((check) => check.passed)

verifies(
  ['cases:checks', 'cases:rehearsed'],
  'an event is kept with checks; all cases of a webhook are rehearsed together, and each check passes or fails',
  async () => {
    await using shop = await startRehearsedShop(await sharedApp())
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, [orders.same, orders.newWrite, orders.writeGone, orders.failed])
    const [same, newWrite, writeGone, failed] = await eventsOf(shop, webhook.id)
    const target = { webhookId: webhook.id }
    const none = await shop.app.api('POST', '/api/v1/rehearsals', {
      target,
      events: { cases: true },
      budget: 1,
    })
    assert.match(none.text, /has no cases yet/)

    const read = 'shop__get_order'
    const refund = 'shop__refund'
    const checks: Check[] = [
      { must: 'call', tool: read },
      { must: 'notCall', tool: refund },
      { must: 'mention', text: 'is  FINE' },
      { must: 'equal', tool: read, pointer: '/id', value: orders.newWrite },
      { must: 'notReply' },
    ]
    const kept = await keep(shop, newWrite, checks)
    assert.deepEqual(
      [kept.eventId, kept.webhookId, kept.checks, kept.lastResult],
      [newWrite, webhook.id, checks, null],
    )
    await keep(shop, writeGone, [{ must: 'call', tool: refund }])
    await keep(shop, failed, [{ must: 'notCall', tool: refund }])
    const asked = { target, events: { cases: true } }

    const before = await shop.ended((await shop.rehearse(asked)).id)
    assert.deepEqual([before.total, before.compared, before.counts.same], [3, 3, 3])
    assert.deepEqual(passed(before, newWrite), [true, true, true, true, false])
    assert.deepEqual(passed(before, writeGone), [true])
    assert.deepEqual(before.checks, { passed: 6, failed: 1 })

    const after = await shop.ended((await shop.rehearse({ ...asked, change: { prompt: draft } })).id)
    assert.deepEqual(passed(after, newWrite), [true, false, true, true, false])
    assert.deepEqual(passed(after, writeGone), [false])
    // A run that failed proves nothing.
    assert.deepEqual(passed(after, failed), [false])

    const { items } = await shop.app.get<Page<CaseShape>>(`/api/v1/cases?webhookId=${webhook.id}`)
    assert.deepEqual(
      items.map(({ eventId, lastResult }) => [eventId, lastResult?.rehearsalId, lastResult?.passed]),
      [failed, writeGone, newWrite].map((eventId) => [eventId, after.id, false]),
    )
    // An ordinary rehearsal judges the cases among its events as well.
    const last = await shop.ended((await shop.rehearse({ target, events: { last: 4 } })).id)
    assert.deepEqual(passed(last, writeGone), [true])
    assert.deepEqual(passed(last, same), [])
  },
)

verifies(
  'cases:checks',
  'a case is changed and deleted; an event is one case at most; faults of checks are named',
  async () => {
    await using shop = await startRehearsedShop(await sharedApp())
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, [orders.same])
    const [eventId] = await eventsOf(shop, webhook.id)
    const kept = await keep(shop, eventId, [{ must: 'notReply' }])
    const path = `/api/v1/cases/${kept.id}`
    const again = await shop.app.api('POST', '/api/v1/cases', { eventId, name: 'Twice', checks: kept.checks })
    assert.equal(again.status, 409)
    const changed = await shop.app.api<CaseShape>('PATCH', path, {
      name: 'Paid orders',
      checks: [{ must: 'mention', text: 'fine' }],
    })
    assert.deepEqual(
      [changed.body.name, changed.body.checks],
      ['Paid orders', [{ must: 'mention', text: 'fine' }]],
    )
    for (const [checks, pointer] of [
      [[], '/checks'],
      [[{ must: 'mention', text: ' ' }], '/checks/0/text'],
      [[{ must: 'equal', tool: 'shop__refund', pointer: 'amount', value: 1 }], '/checks/0/pointer'],
      [[{ must: 'sing' }], '/checks/0/must'],
    ] as const) {
      const refused = await shop.app.api<{ errors: { pointer: string }[] }>('PATCH', path, { checks })
      assert.deepEqual([refused.status, refused.body.errors[0]?.pointer], [422, pointer])
    }
    assert.equal((await shop.app.api('DELETE', path)).status, 204)
    assert.equal((await shop.app.api('GET', path)).status, 404)
  },
)

verifies(
  'cases:checks',
  'numbers are compared as numbers, and every call of the tool must have the value',
  () => {
    const check: Check = { must: 'equal', tool: 'refund', pointer: '/amounts/0', value: 49 }
    const judge = (...inputs: unknown[]) =>
      judgeChecks([check], {
        ended: 'succeeded',
        reply: 'Done.',
        calls: inputs.map((input) => ({ name: 'refund', input })),
      })[0]?.passed
    assert.equal(judge({ amounts: [49] }), true)
    assert.equal(judge(JSON.parse('{"amounts":[49.00]}')), true)
    assert.equal(judge({ amounts: [49] }, { amounts: [50] }), false)
    assert.equal(judge({ amounts: ['49'] }), false)
    assert.equal(judge({ amounts: 49 }), false)
    assert.equal(judge(), false)
    const silent = judgeChecks([{ must: 'notReply' }], { ended: 'notified', reply: null, calls: [] })
    assert.equal(silent[0]?.passed, false, 'the text of a rule is a reply')
  },
)

verifies(
  'cases:kept',
  'the event of a case and what really became of it are kept beyond the retention period, until the case is deleted',
  async () => {
    await using app = await startTestApp({ env: loopback })
    await using shop = await startRehearsedShop(app)
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, [orders.writeGone, orders.same])
    const [eventId, other] = await eventsOf(shop, webhook.id)
    const kept = await keep(shop, eventId, [{ must: 'call', tool: 'shop__refund' }])
    const rehearse = async () =>
      await shop.ended(
        (await shop.rehearse({ target: { webhookId: webhook.id }, events: { cases: true } })).id,
      )
    await rehearse()
    const prune = async () => {
      const ctx = { ...app.app.ctx, now: () => new Date(Date.now() + 31 * 86_400_000) }
      await pruneRehearsals(ctx)
      await pruneRuns(ctx)
      await pruneEvents(ctx)
    }
    await prune()
    const status = async (path: string) => (await app.api('GET', `/api/v1/${path}`)).status
    assert.equal(await status(`events/${other}`), 404)
    assert.equal(await status(`events/${eventId}`), 200)
    // What rehearsals themselves left is not kept.
    assert.equal((await app.get<CaseShape>(`/api/v1/cases/${kept.id}`)).lastResult, null)
    // Its reads are still answered from the recording.
    const done = await rehearse()
    assert.deepEqual([done.counts.same, passed(done, eventId)], [1, [true]])

    assert.equal((await app.api('DELETE', `/api/v1/cases/${kept.id}`)).status, 204)
    await prune()
    assert.equal(await status(`events/${eventId}`), 404)
  },
)

verifies(
  'cases:erased',
  'erasing the event of a case erases what the case says of it; the case tells so and cannot be run',
  async () => {
    await using shop = await startRehearsedShop(await sharedApp())
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, [orders.same])
    const [eventId] = await eventsOf(shop, webhook.id)
    const secret = `Kim Park ${crypto.randomUUID()}`
    const kept = await keep(shop, eventId, [{ must: 'mention', text: secret }], secret)
    const target = { webhookId: webhook.id }
    const done = await shop.ended((await shop.rehearse({ target, events: { cases: true } })).id)
    assert.equal((await shop.app.api('DELETE', `/api/v1/events/${eventId}`)).status, 204)
    const path = `/api/v1/cases/${kept.id}`
    const erased = await shop.app.get<CaseShape>(path)
    assert.deepEqual([erased.eventErased, erased.checks, erased.name], [true, [], 'Erased event'])
    const everything = await Promise.all(
      [path, `/api/v1/rehearsals/${done.id}`, '/api/v1/audit?limit=100'].map((one) =>
        shop.app.api('GET', one),
      ),
    )
    assert.ok(everything.every(({ text }) => !text.includes(secret)))
    assert.equal((await shop.app.api('PATCH', path, { name: 'Anew' })).status, 410)
    const none = await shop.app.api('POST', '/api/v1/rehearsals', {
      target,
      events: { cases: true },
      budget: 1,
    })
    assert.match(none.text, /has no cases yet/)
    assert.equal((await shop.app.api('DELETE', path)).status, 204)
  },
)
