import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { RehearsalShape } from '../../src/runs/rehearsals/contract.ts'
import { decideBudget } from '../../src/runs/rehearsals/decide-budget.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { draft, orders, startRehearsedShop } from './start-rehearsed-shop.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const eventOf = ({ events }: RehearsalShape, order: string) =>
  events.find(({ summary }) => summary?.includes(order))

verifies(
  ['rehearsals:outcomes', 'rehearsals:no-writes'],
  'a changed prompt is compared event by event with what really happened; the target sees no request, and nothing is posted',
  async () => {
    await using shop = await startRehearsedShop(await sharedApp())
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, Object.values(orders))
    const [sent, posted] = [shop.target.seen.length, await shop.messages()]

    const started = await shop.rehearse({
      target: { webhookId: webhook.id },
      change: { prompt: draft },
      events: { last: 50 },
    })
    assert.deepEqual([started.total, started.webhookId, started.change], [6, webhook.id, { prompt: draft }])
    const done = await shop.ended(started.id)
    assert.deepEqual([done.status, done.problem, done.compared], ['done', null, 6])
    assert.deepEqual(done.counts, {
      same: 1,
      replyDiffers: 1,
      newWrite: 1,
      writeGone: 1,
      notRecorded: 1,
      failed: 1,
    })
    for (const [outcome, order] of Object.entries(orders))
      assert.equal(eventOf(done, order)?.outcome, outcome, order)
    const refund = (id: string) => [{ tool: 'shop__refund', input: { id } }]
    assert.deepEqual(eventOf(done, orders.newWrite)?.newWrites, refund(orders.newWrite))
    assert.deepEqual(eventOf(done, orders.newWrite)?.before?.writes, [])
    assert.deepEqual(eventOf(done, orders.writeGone)?.goneWrites, refund(orders.writeGone))
    const differs = eventOf(done, orders.replyDiffers)
    assert.deepEqual(
      [differs?.before?.reply, differs?.after?.reply],
      ['Order A-2 is fine.', 'Order A-2 is splendid.'],
    )
    // What the recording lacks is told to the model and to people, never invented.
    assert.deepEqual(eventOf(done, orders.notRecorded)?.after?.notRecorded, [
      { tool: 'shop__get_order', input: { id: 'A-9' } },
    ])
    assert.ok(
      shop.model.requests.some(({ body }) =>
        body.includes('reads from a recording, and this call is not in it'),
      ),
    )
    assert.ok(done.cost.before > 0 && done.cost.after > 0 && done.spent >= done.cost.after)
    assert.ok(done.p95Ms.before > 0 && done.p95Ms.after > 0)
    assert.equal(shop.target.seen.length, sent)
    assert.deepEqual(await shop.messages(), posted)
    // The prompt is saved by nobody.
    const saved = await shop.app.get<{ prompt: string }>(`/api/v1/webhooks/${webhook.id}`)
    assert.notEqual(saved.prompt, draft)
  },
)

verifies(
  'rehearsals:apart',
  'runs of a rehearsal are in no list and in no figure, ask nobody, and can be opened from the rehearsal',
  async () => {
    await using shop = await startRehearsedShop(await sharedApp())
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, [orders.same, orders.newWrite])
    const figures = async () => {
      const { totals } = await shop.app.get<{ totals: object }>(`/api/v1/stats?webhookId=${webhook.id}`)
      const { items } = await shop.app.get<{ items: { id: string }[] }>(
        `/api/v1/runs?webhookId=${webhook.id}`,
      )
      const pending = await shop.app.get<{ items: object[] }>(`/api/v1/approvals?status=pending`)
      return { totals, runs: items.map(({ id }) => id), pending: pending.items.length }
    }
    const before = await figures()
    const { id } = await shop.rehearse({ target: { webhookId: webhook.id }, change: { prompt: draft } })
    const done = await shop.ended(id)
    assert.deepEqual(await figures(), before)
    assert.deepEqual(
      (
        await shop.app.get<{ items: { id: string }[] }>(`/api/v1/rehearsals?webhookId=${webhook.id}`)
      ).items.map((one) => one.id),
      [id],
    )
    const runId = done.events[0]?.after?.runId ?? ''
    const run = await shop.readRun(runId)
    assert.deepEqual([run.dryRun, run.trigger, run.prompt], [true, 'replay', draft])
    const missing = await shop.app.api('GET', `/api/v1/rehearsals/reh_01a1dd14-a609-7560-8304-8eb28ad4ba19`)
    assert.equal(missing.status, 404)
  },
)

verifies(
  'rehearsals:no-change',
  'without a change every event has the same outcome: the model is sent the same to the byte, and denied writes are denied again',
  async () => {
    await using shop = await startRehearsedShop(await sharedApp())
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, [orders.same, orders.writeGone])
    const { runId } = await shop.sendEvent(webhook, { event: 'order.paid', id: orders.writeGone })
    const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const approvalId = waiting.toolCalls.find((call) => call.approvalId)?.approvalId
    await shop.app.api('POST', `/api/v1/approvals/${approvalId}/deny`, { reason: 'Not this one.' })
    await shop.endedRun(runId)
    const [first] = shop.model.requests
    const asked = shop.model.requests.length
    const { id } = await shop.rehearse({ target: { webhookId: webhook.id } })
    const done = await shop.ended(id)
    assert.deepEqual([done.counts.same, done.total], [3, 3])
    const again = shop.model.requests.slice(asked).map(({ body }) => body)
    assert.ok(again.includes(first?.body ?? ''))
    assert.ok(again.some((body) => body.includes('Not this one.')))
  },
)

verifies(
  'rehearsals:rules',
  'changed rules are tried on events that started no run, too: what they skip now and what they let through is told',
  async () => {
    await using shop = await startRehearsedShop(await sharedApp())
    const skip = [{ when: `event.id == '${orders.same}'`, then: 'skip' }]
    const webhook = await shop.createWebhook({ rules: skip })
    await shop.sendEvent(webhook, { event: 'order.paid', id: orders.same })
    await shop.handle(webhook, [orders.replyDiffers])
    await until(async () => {
      const { items } = await shop.app.get<{ items: { status: string }[] }>(
        `/api/v1/events?webhookId=${webhook.id}`,
      )
      return items.every(({ status }) => status === 'skipped' || status === 'done')
    })
    const target = { webhookId: webhook.id }
    const kept = await shop.ended((await shop.rehearse({ target, change: { rules: skip } })).id)
    assert.deepEqual([kept.counts.same, kept.total], [2, 2])
    const rules = [{ when: `event.id == '${orders.replyDiffers}'`, then: 'notify', text: 'Order {/id}' }]
    const turned = await shop.ended((await shop.rehearse({ target, change: { rules } })).id)
    // An event that no run has read for has no recording.
    assert.deepEqual([turned.counts.replyDiffers, turned.counts.notRecorded], [1, 1])
    const ends = (order: string) => {
      const event = eventOf(turned, order)
      return [event?.before?.ended, event?.after?.ended]
    }
    assert.deepEqual(ends(orders.same), ['skipped', 'succeeded'])
    assert.deepEqual(ends(orders.replyDiffers), ['succeeded', 'notified'])
    // Without other rules, events that started no run are left out.
    assert.equal((await shop.rehearse({ target })).total, 1)
  },
)

verifies(
  'rehearsals:budget',
  'a rehearsal of 100 events with money for 40 compares 40 of them, and says so',
  async () => {
    await using shop = await startRehearsedShop(await sharedApp())
    const webhook = await shop.createWebhook({
      rateLimit: null,
      connectorIds: [],
      rules: [{ when: 'true', then: 'skip' }],
    })
    const bodies = Array.from({ length: 100 }, (_, n) => ({ event: 'order.paid', n }))
    for (let at = 0; at < bodies.length; at += 50)
      await Promise.all(bodies.slice(at, at + 50).map((body) => shop.sendEvent(webhook, body)))
    const { db } = shop.app.app.ctx
    await until(async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from events where source_id = ${webhook.id} and status = 'skipped'`.execute(
        db,
      )
      return rows[0]?.n === 100
    })
    const target = { webhookId: webhook.id }
    const change = { rules: [] }
    const one = await shop.ended((await shop.rehearse({ target, change, events: { last: 1 } })).id)
    assert.ok(one.spent > 0)
    const { id, total } = await shop.rehearse({
      target,
      change,
      events: { last: 100 },
      budget: one.spent * 40,
    })
    assert.equal(total, 100)
    await until(async () => (await shop.read(id)).endedAt !== null, 240_000)
    const done = await shop.read(id)
    assert.deepEqual([done.status, done.compared], ['done', 40])
    assert.match(done.problem ?? '', /The budget of .* allows no more than 40 events/)
    assert.ok(done.spent <= one.spent * 40 + 1e-9)
    assert.equal(done.events.filter(({ outcome }) => outcome === null).length, 60)
  },
)

verifies('rehearsals:budget', 'money for the runs under way is set aside; the first event goes alone', () => {
  const none = { budget: 1, ended: 0, spent: 0, underWay: [] }
  assert.equal(decideBudget(none), 'start')
  assert.equal(decideBudget({ ...none, underWay: [0] }), 'wait')
  const half = { budget: 1, ended: 5, spent: 0.5, underWay: [] }
  assert.equal(decideBudget(half), 'start')
  assert.equal(decideBudget({ ...half, underWay: [0, 0, 0, 0] }), 'start')
  assert.equal(decideBudget({ ...half, underWay: [0, 0, 0, 0, 0] }), 'wait')
  assert.equal(decideBudget({ ...half, underWay: [0.45] }), 'wait')
  assert.equal(decideBudget({ ...half, ended: 9, spent: 0.95 }), 'stop')
  assert.equal(decideBudget({ ...half, spent: 1 }), 'stop')
  assert.equal(decideBudget({ ...half, ended: 3, spent: 0 }), 'start')
})

verifies(
  'rehearsals:budget',
  'a budget is required, and a model without a price is refused, since no budget can be kept',
  async () => {
    await using shop = await startRehearsedShop(await sharedApp())
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, [orders.same])
    const target = { webhookId: webhook.id }
    const ask = async (body: object) => {
      const { status, body: answer } = await shop.app.api<{ errors?: { pointer: string; detail: string }[] }>(
        'POST',
        '/api/v1/rehearsals',
        { target, ...body },
      )
      return [status, answer.errors?.[0]?.pointer]
    }
    assert.deepEqual(await ask({}), [422, '/budget'])
    assert.deepEqual(await ask({ budget: 0 }), [422, '/budget'])
    assert.deepEqual(
      await ask({ budget: 1, change: { model: { provider: 'anthropic', name: 'unheard-of' } } }),
      [422, '/budget'],
    )
    assert.deepEqual(
      await ask({ budget: 1, change: { model: { provider: 'google', name: 'gemini-2.5-pro' } } }),
      [422, '/change/model'],
    )
    const events = { ids: ['evt_01a1dd14-a609-7560-8304-8eb28ad4ba19'] }
    assert.deepEqual(await ask({ budget: 1, events }), [422, '/events/ids'])
    const empty = await shop.createWebhook()
    const none = await shop.app.api('POST', '/api/v1/rehearsals', {
      target: { webhookId: empty.id },
      budget: 1,
    })
    assert.match(none.text, /has no events yet/)
  },
)

verifies(
  'rehearsals:choice',
  'the events of a rehearsal are chosen by a condition and by time; a condition with a fault is refused and not taken for no match',
  async () => {
    await using shop = await startRehearsedShop(await sharedApp())
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, [orders.same, orders.replyDiffers, orders.newWrite])
    const target = { webhookId: webhook.id }
    const change = { prompt: draft }
    const chosen = async (events: object) => {
      const { id } = await shop.rehearse({ target, change, events })
      return (await shop.ended(id)).events.map(({ outcome }) => outcome)
    }
    assert.deepEqual(await chosen({ last: 50, when: `event.id == '${orders.newWrite}'` }), ['newWrite'])
    // The newest first, however many others lie between.
    assert.deepEqual(await chosen({ last: 1, when: `event.id != '${orders.newWrite}'` }), ['replyDiffers'])
    // An event that has no such field is no match, and loses none of the others.
    const rare = `has(event.rare) || event.id == '${orders.same}'`
    assert.deepEqual(await chosen({ last: 50, when: rare }), ['same'])
    const { items } = await shop.app.get<{ items: { receivedAt: string }[] }>(
      `/api/v1/events?webhookId=${webhook.id}`,
    )
    const [newest, middle] = items.map(({ receivedAt }) => receivedAt)
    assert.deepEqual(await chosen({ last: 50, since: newest }), ['newWrite'])
    assert.deepEqual(await chosen({ last: 50, since: middle, until: newest }), ['replyDiffers'])
    const refused = async (body: object) => {
      const { status, body: answer } = await shop.app.api<{ errors: { pointer: string; detail: string }[] }>(
        'POST',
        '/api/v1/rehearsals',
        { target, budget: 1, ...body },
      )
      return [status, answer.errors[0]?.pointer, answer.errors[0]?.detail]
    }
    const [status, pointer, detail] = await refused({ events: { last: 5, when: 'event.id ==' } })
    assert.deepEqual([status, pointer], [422, '/events/when'])
    assert.match(String(detail), /^Character \d+: /)
    assert.deepEqual(
      (await refused({ change: { rules: [{ when: 'evnt.id', then: 'skip' }] } })).slice(0, 2),
      [422, '/change/rules/0/when'],
    )
    const none = await refused({ events: { last: 5, when: 'event.id == "Z-1"' } })
    assert.match(String(none[2]), /no events like these/)
  },
)

verifies(
  ['rehearsals:outcomes', 'rehearsals:no-writes'],
  'other descriptions of tools and further policies are rehearsed, too, and are in force for nothing else',
  async () => {
    await using shop = await startRehearsedShop(await sharedApp())
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, [orders.same, orders.newWrite, orders.writeGone])
    const sent = shop.target.seen.length
    const target = { webhookId: webhook.id }
    // The scripted model acts on the words wherever it reads them.
    const tools = { shop__get_order: { description: draft } }
    const described = await shop.ended((await shop.rehearse({ target, change: { tools } })).id)
    assert.deepEqual(
      [described.counts.same, described.counts.newWrite, described.counts.writeGone, described.change],
      [1, 1, 1, { tools }],
    )
    const again = await shop.ended((await shop.rehearse({ target })).id)
    assert.equal(again.counts.same, 3)

    const refund = { name: 'No refunds', tool: 'shop__refund', when: 'true' }
    const policies = [{ ...refund, then: 'deny' }]
    const denied = await shop.ended((await shop.rehearse({ target, change: { policies } })).id)
    assert.deepEqual([denied.counts.same, denied.counts.writeGone], [2, 1])
    const gone = eventOf(denied, orders.writeGone)
    assert.deepEqual(
      gone?.after?.tried.filter(({ tool }) => tool === 'shop__refund').map(({ would }) => would),
      ['refuse'],
    )
    const allowing = [
      { ...refund, then: 'auto', cap: { calls: 5, per: 'day' }, for: { requesters: ['webhook'] } },
    ]
    const allowed = await shop.ended((await shop.rehearse({ target, change: { policies: allowing } })).id)
    assert.deepEqual(
      eventOf(allowed, orders.writeGone)
        ?.after?.tried.filter(({ tool }) => tool === 'shop__refund')
        .map(({ would }) => would),
      ['send'],
    )
    assert.equal(shop.target.seen.length, sent)
    assert.deepEqual((await shop.app.get<{ items: object[] }>('/api/v1/policies')).items, [])

    const refused = async (change: object) => {
      const { status, body } = await shop.app.api<{ errors: { pointer: string }[] }>(
        'POST',
        '/api/v1/rehearsals',
        { target, budget: 1, change },
      )
      return [status, body.errors[0]?.pointer]
    }
    assert.deepEqual(await refused({ tools: { shop__nothing: { description: 'x' } } }), [
      422,
      '/change/tools',
    ])
    assert.deepEqual(await refused({ policies: [{ ...refund, then: 'auto' }] }), [
      422,
      '/change/policies/0/cap',
    ])
  },
)

verifies('rehearsals:live', 'live reads go to the targets; writes are stopped all the same', async () => {
  await using shop = await startRehearsedShop(await sharedApp())
  const webhook = await shop.createWebhook()
  await shop.handle(webhook, [orders.notRecorded, orders.newWrite])
  const sent = shop.target.seen.length
  const { id } = await shop.rehearse({
    target: { webhookId: webhook.id },
    change: { prompt: draft },
    reads: 'live',
  })
  const done = await shop.ended(id)
  assert.deepEqual([done.counts.same, done.counts.newWrite], [1, 1])
  assert.deepEqual(
    shop.target.seen.slice(sent).map(({ method }) => method),
    ['GET', 'GET'],
  )
})

verifies(
  'rehearsals:yields',
  'a rehearsal has a quarter of the places of runs at most, beside theirs; canceled, it begins nothing more',
  async () => {
    const release = Promise.withResolvers<void>()
    let atOnce = 0
    let held = false
    await using shop = await startRehearsedShop(await sharedApp(), {
      beforeAnswer(body) {
        if (!held || !body.includes(draft)) return
        atOnce++
        return release.promise
      },
    })
    const webhook = await shop.createWebhook()
    await shop.handle(
      webhook,
      Array.from({ length: 8 }, () => orders.same),
    )
    await shop.app.api('PATCH', '/api/v1/settings', { limits: { activeRuns: 8 } })
    const target = { webhookId: webhook.id }
    // The first one goes alone, since nobody knows yet what an event costs.
    const { id } = await shop.rehearse({ target, change: { prompt: draft } })
    await until(async () => (await shop.read(id)).compared > 0)
    held = true
    await until(() => atOnce > 0)
    // Real work is not held up, and by its end a third run of the rehearsal would have begun.
    await shop.handle(webhook, [orders.same, orders.same])
    assert.ok(atOnce <= 2, `${atOnce} at once`)
    const cancelled = await shop.app.api<RehearsalShape>('POST', `/api/v1/rehearsals/${id}/cancel`)
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled'])
    release.resolve()
    const again = await shop.app.api('POST', `/api/v1/rehearsals/${id}/cancel`)
    assert.equal(again.status, 409)
    const asked = shop.model.requests.length
    await shop.handle(webhook, [orders.same])
    assert.equal(shop.model.requests.slice(asked).filter(({ body }) => body.includes(draft)).length, 0)
    const { db } = shop.app.app.ctx
    await until(async () => {
      const { rows } = await sql`select from runs where rehearsal_id = ${id} and ended_at is null`.execute(db)
      return rows.length === 0
    })
  },
)

verifies('rehearsals:erase', 'erasing an event erases what a rehearsal kept of it', async () => {
  await using shop = await startRehearsedShop(await sharedApp())
  const webhook = await shop.createWebhook()
  await shop.handle(webhook, [orders.replyDiffers])
  const { id } = await shop.rehearse({ target: { webhookId: webhook.id }, change: { prompt: draft } })
  const done = await shop.ended(id)
  assert.match(JSON.stringify(done), /splendid/)
  const eventId = done.events[0]?.eventId ?? ''
  assert.equal((await shop.app.api('DELETE', `/api/v1/events/${eventId}`)).status, 204)
  assert.doesNotMatch(JSON.stringify(await shop.read(id)), /splendid|is fine|A-2/)
})
