import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { BacktestShape, PolicyShape } from '../../src/approvals/policies/contract.ts'
import { matchPolicies } from '../../src/approvals/policies/match-policies.ts'
import type { Policy } from '../../src/approvals/policies/policy.ts'
import { reportAutomatic } from '../../src/approvals/report-automatic.ts'
import type { Message } from '../../src/chat/contract.ts'
import { startMcpSceneOn } from '../mcp/start-mcp-scene.ts'
import { countWaiting } from '../support/ask-during.ts'
import { fc } from '../support/property.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { hook, member, startGateOn } from '../support/start-gate.ts'
import { general } from '../support/start-shop.ts'
import { startSmallMcp } from '../support/start-small-mcp.ts'
import { loopback, startTestApp, type TestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Refused = { errors?: { pointer: string; detail: string }[]; detail: string }

const small = {
  name: 'Small refunds',
  tool: 'shop__refund',
  when: 'input.amount <= 50',
  then: 'auto',
  cap: { calls: 3, per: 'day' },
} as const

async function addPolicy(app: TestApp, policy: Record<string, unknown>) {
  const created = await app.api<PolicyShape & Refused>('POST', '/api/v1/policies', policy)
  assert.equal(created.status, 201, created.text)
  const { id } = created.body
  return {
    id,
    read: () => app.get<PolicyShape>(`/api/v1/policies/${id}`),
    patch: (body: unknown) => app.api<PolicyShape>('PATCH', `/api/v1/policies/${id}`, body),
    [Symbol.asyncDispose]: async () => void (await app.api('DELETE', `/api/v1/policies/${id}`)),
  }
}

const refund = (amount: unknown, more = {}) => ({
  name: 'shop__refund',
  input: { id: 'A-1', amount, ...more },
})

verifies(
  ['policies:first-match', 'policies:automatic-yes', 'policies:cap'],
  'a policy lets calls through without a person until its cap is reached, and records each as an approval',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    await using policy = await addPolicy(gate.app, {
      ...small,
      cap: { calls: 3, per: 'day', sum: { of: '/amount', max: 100 } },
    })
    for (const amount of [49.99, 50]) {
      const outcome = await gate.call(refund(amount))
      assert.ok(outcome.kind === 'answered' && outcome.answer.status === 200, JSON.stringify(outcome))
      assert.deepEqual(outcome.approvedBy, { name: 'Small refunds', reason: null })
    }
    // Above the limit of the condition, and within it but beyond the sum: people decide.
    assert.equal((await gate.call(refund(50.01))).kind, 'waiting')
    assert.equal((await gate.call(refund(0.02))).kind, 'waiting')
    assert.equal((await gate.call(refund(0.01))).kind, 'answered')
    assert.equal((await gate.call(refund(0))).kind, 'waiting', 'three calls a day')
    assert.equal(gate.target.seen.length, 3)

    const { today } = await policy.read()
    assert.deepEqual(today, { allowed: 3, sum: 100, asked: 2 })
    const { items } = await gate.app.get<{
      items: { decidedBy: unknown; digest: string; policy: unknown }[]
    }>('/api/v1/approvals?status=approved')
    assert.deepEqual(items[0]?.decidedBy, { kind: 'policy', id: policy.id, name: 'Small refunds' })
    assert.match(items[0]?.digest ?? '', /^sha256:[0-9a-f]{64}$/)
    assert.deepEqual(items[0]?.policy, {
      id: policy.id,
      name: 'Small refunds',
      says: 'auto',
      isShadow: false,
    })
  },
)

verifies(
  ['policies:cap', 'policies:across-replicas'],
  'a hundred calls at once on two replicas never exceed the cap; the target counts',
  async () => {
    const app = await sharedApp()
    await using gate = await startGateOn(app)
    await using second = await startTestApp({ databaseUrl: app.databaseUrl, env: loopback })
    await using _policy = await addPolicy(app, {
      ...small,
      cap: { calls: 20, per: 'hour', sum: { of: '/amount', max: 500 } },
    })
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        gate.call(refund(49.99), undefined, at % 2 === 0 ? gate.ctx : second.app.ctx),
      ),
    )
    // 10 × 49.99 is the most that fits in 500.
    assert.equal(outcomes.filter(({ kind }) => kind === 'answered').length, 10)
    assert.equal(gate.target.seen.length, 10)
  },
)

verifies(
  ['policies:first-match', 'policies:stricter-only'],
  'the first that covers a call decides: deny, confirm and approve make it stricter, and what cannot be evaluated asks',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    await using _deny = await addPolicy(app, {
      ...small,
      name: 'Not for B',
      when: "input.id.startsWith('B')",
      then: 'deny',
      cap: null,
    })
    await using _confirm = await addPolicy(app, {
      ...small,
      name: 'Large',
      when: 'input.amount > 1000',
      then: 'confirm',
      cap: null,
    })
    await using auto = await addPolicy(app, small)
    const denied = await gate.call(refund(1, { id: 'B-1' }))
    assert.ok(denied.kind === 'answered')
    assert.equal(denied.answer.error?.message, 'The policy “Not for B” does not allow this call.')
    const large = await gate.call(refund(1001))
    assert.ok(large.kind === 'waiting')
    assert.equal((await app.get<{ kind: string }>(`/api/v1/approvals/${large.approvalId}`)).kind, 'confirm')
    assert.equal((await gate.call(refund(1))).kind, 'answered')
    // Without the amount, the first two cannot all be evaluated: nobody knows what they would say.
    assert.equal((await gate.call({ name: 'shop__refund', input: { id: 'A-1' } })).kind, 'waiting')

    // Asked first, the automatic one decides before the others.
    assert.equal((await auto.patch({ position: 1 })).status, 200)
    assert.equal((await gate.call(refund(1, { id: 'B-1' }))).kind, 'answered')

    // A read that runs at once can be made to ask.
    await using _read = await addPolicy(app, {
      name: 'Reads ask',
      tool: 'shop__get_order',
      when: 'true',
      then: 'approve',
    })
    assert.equal((await gate.call({ name: 'shop__get_order' })).kind, 'waiting')
  },
)

verifies(
  'policies:never-beyond-limits',
  'an automatic policy needs a cap, is never destructive, and never exceeds a ceiling or covers a webhook that it does not name',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    for (const [policy, pointer] of [
      [{ ...small, cap: null }, '/cap'],
      [{ ...small, tool: 'shop__delete_order' }, '/then'],
      [{ ...small, tool: 'shop__nothing' }, '/tool'],
      [{ ...small, when: 'input.amount <=' }, '/when'],
      [{ ...small, when: 'amount <= 50' }, '/when'],
      [{ ...small, for: { webhookIds: ['hook_none'] } }, '/for/webhookIds'],
      [{ ...small, cap: { calls: 0, per: 'day' } }, '/cap/calls'],
      [{ ...small, cap: { calls: 1, per: 'day', sum: { of: 'amount', max: 1 } } }, '/cap/sum/of'],
    ] as const) {
      const refused = await app.api<Refused>('POST', '/api/v1/policies', policy)
      assert.equal(refused.status, 422, refused.text)
      assert.equal(refused.body.errors?.[0]?.pointer, pointer, refused.text)
    }
    await using policy = await addPolicy(app, small)
    const asked = { ...refund(1), requester: hook, ceiling: 'write' } as const
    assert.equal((await gate.call(asked)).kind, 'waiting', 'a webhook is not named')
    await policy.patch({ for: { requesters: ['webhook'] } })
    assert.equal((await gate.call(asked)).kind, 'answered')
    assert.equal(
      (await gate.call({ ...refund(1), requester: member })).kind,
      'waiting',
      'a person is not named',
    )
    const beyond = await gate.call({ ...asked, ceiling: 'read' })
    assert.ok(beyond.kind === 'answered' && beyond.answer.error?.code === 'denied')
    assert.equal(gate.target.seen.length, 1)
  },
)

verifies(
  'policies:paused-by-surprise',
  'an edit of the tool, a denial of a call that it covers, and its end stop a policy at once',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    await using policy = await addPolicy(app, { ...small, cap: { calls: 1, per: 'day' } })
    assert.equal((await gate.call(refund(1))).kind, 'answered')
    const { approval } = await gate.ask(refund(1))
    assert.equal((await gate.decide(approval.id, 'deny', 'not this one')).status, 200)
    const paused = await policy.read()
    assert.equal(paused.state, 'paused')
    assert.match(paused.pausedReason ?? '', /denied a call that this policy covers/)

    await policy.patch({ state: 'active', cap: { calls: 100, per: 'day' } })
    assert.equal((await gate.call(refund(1))).kind, 'answered')
    const { tools } = await app.get<{ tools: { id: string; name: string }[] }>(
      `/api/v1/connectors/${gate.connectorId}`,
    )
    const tool = tools.find(({ name }) => name === 'refund')
    await app.api('PATCH', `/api/v1/connectors/${gate.connectorId}/tools/${tool?.id}`, {
      description: 'Pays back, now',
    })
    assert.equal((await gate.call(refund(1))).kind, 'waiting')
    const stale = await policy.read()
    assert.equal(stale.state, 'paused')
    assert.match(stale.pausedReason ?? '', /was edited/)
    const { items } = await app.get<{
      items: { actor: { kind: string }; detail: Record<string, string>; subjectName: string }[]
    }>(`/api/v1/audit?subject=${policy.id}&action=policy.paused`)
    assert.equal(items.length, 2)
    assert.equal(items[0]?.actor.kind, 'system')
    assert.match(items[0]?.detail.because ?? '', /tool or its connector was changed/)

    await policy.patch({ state: 'active' })
    assert.equal((await gate.call(refund(1))).kind, 'answered')
    await policy.patch({ until: '2026-01-01T00:00:00Z' })
    assert.equal((await gate.call(refund(1))).kind, 'waiting')
    assert.equal((await policy.read()).state, 'expired')
  },
)

verifies('policies:first-match', 'many changes of policies at once are all made', async () => {
  await using gate = await startGateOn(await sharedApp())
  await using policy = await addPolicy(gate.app, small)
  // More than there are connections to the database.
  const names = Array.from({ length: 40 }, (_, n) => `Refunds ${n}`)
  const answers = await Promise.all(names.map((name) => policy.patch({ name })))
  for (const { status, text } of answers) assert.equal(status, 200, text)
})

for (const [held, moved] of [
  [0, 1],
  [1, 0],
] as const) {
  verifies(
    'policies:paused-by-surprise',
    `an edit of the tool pauses its policies also while the ${moved === 1 ? 'last' : 'first'} is moved`,
    async () => {
      await using gate = await startGateOn(await sharedApp())
      const { app } = gate
      const { db } = app.app.ctx
      await using first = await addPolicy(app, small)
      await using last = await addPolicy(app, small)
      const policies = [first, last] as const
      const connector = `/api/v1/connectors/${gate.connectorId}`
      const { tools } = await app.get<{ tools: { id: string; name: string }[] }>(connector)
      const tool = tools.find(({ name }) => name === 'refund')
      // The edit waits for one policy. The move begins with the other and then writes both.
      const answers = await db.transaction().execute(async (tx) => {
        await sql`select from policies where id = ${policies[held].id} for update`.execute(tx)
        const edit = app.api('PATCH', `${connector}/tools/${tool?.id}`, { description: 'Pays back, now' })
        await until(async () => (await countWaiting(db)) === 1)
        const move = policies[moved].patch({ position: held + 1 })
        await until(async () => (await countWaiting(db)) === 2)
        return [edit, move]
      })
      for (const answer of answers) {
        const { status, text } = await answer
        assert.equal(status, 200, text)
      }
      for (const policy of policies) assert.equal((await policy.read()).state, 'paused')
    },
  )
}

verifies(
  ['policies:backtest', 'policies:shadow', 'policies:suggestions'],
  'a policy is tried on what people decided, watches in shadow, and is suggested only where their decisions agree',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    await using shadow = await addPolicy(app, { ...small, state: 'shadow' })
    for (const [amount, verdict] of [
      [10, 'approve'],
      [20.5, 'approve'],
      [40, 'deny'],
      [90, 'approve'],
    ] as const) {
      const { approval } = await gate.ask(refund(amount, { id: `B-${amount}` }))
      assert.equal((await gate.decide(approval.id, verdict)).status, 200)
    }
    assert.deepEqual((await shadow.read()).shadow, { same: 2, different: 1 })
    assert.equal((await shadow.read()).state, 'shadow', 'a denial is what it is there to find')

    const cap = { calls: 1, per: 'day', sum: { of: '/amount', max: 1000 } }
    const tried = await app.api<BacktestShape>('POST', '/api/v1/policies/backtest', {
      policy: { ...small, name: undefined, cap },
    })
    assert.equal(tried.status, 200, tried.text)
    const { perDay, different, ...figures } = tried.body
    assert.deepEqual(figures, {
      examined: 4,
      covered: 3,
      approved: 2,
      denied: 1,
      beyondCap: 2,
      notEvaluated: 0,
      firstFault: null,
      largest: 40,
      sum: 70.5,
      more: false,
    })
    assert.equal(perDay[0]?.calls, 3)
    assert.equal(different[0]?.decision, 'denied')

    await app.api('DELETE', `/api/v1/policies/${shadow.id}`)
    const suggestions = async () =>
      (await app.get<{ items: { when: string; cap: unknown }[] }>('/api/v1/policies/suggestions')).items
    assert.deepEqual(await suggestions(), [], 'somebody said no')
    await sql`update approvals set status = 'approved' where status = 'denied'`.execute(gate.ctx.db)
    for (let at = 0; at < 8; at++) {
      const { approval } = await gate.ask(refund(15, { id: `A-${at + 2}` }))
      await gate.decide(approval.id, 'approve')
    }
    // 90 and 40 were approved once: one large yes does not raise the bound. Every order was another one.
    const [suggested] = await suggestions()
    assert.equal(suggested?.when, 'input.amount >= 0 && input.amount <= 20.5')
    assert.deepEqual(suggested?.cap, { calls: 12, per: 'day' })
  },
)

verifies(
  'policies:first-match',
  'whatever the input is, a call is automatic only if the condition is true of it',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    await using _policy = await addPolicy(gate.app, { ...small, cap: { calls: 100_000, per: 'hour' } })
    const amounts = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: -100, max: 200 }),
      fc.constantFrom(50, 50.0000001, 49.9999999999, -0, 1e-300),
    )
    await fc.assert(
      fc.asyncProperty(amounts, async (amount) => {
        const outcome = await gate.call(refund(amount))
        const isAutomatic = outcome.kind === 'answered' && outcome.answer.error === null
        // Long numbers ask: a condition computes with 15 digits.
        assert.ok(!isAutomatic || amount <= 50, `${amount} was sent`)
      }),
      { numRuns: 40 },
    )
  },
)

verifies(
  'policies:first-match',
  'a policy covers only what its text says: fields that are absent or of another type always ask',
  async () => {
    const { conditions, now } = (await sharedApp()).app.ctx
    const tool = { toolId: 'tool_1', toolVersion: 1, connectorVersion: 1, name: 'shop__refund' }
    const policy: Policy = {
      ...tool,
      id: 'pol_1',
      name: 'Small refunds',
      tool: 'shop__refund',
      when: "input.amount <= 50 && input.currency == 'EUR'",
      then: 'auto',
      for: { requesters: null, webhookIds: null, channelIds: null },
      cap: { calls: 3, per: 'day', sum: { of: '/amount', max: 100 } },
      approval: { approvers: null, approvalsNeeded: null, requesterMayApprove: null, escalate: null },
      state: 'active',
    }
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('50', '49', [49], { amount: 49 }, null, true, -1, 1e300),
    )
    const amount = fc.oneof(fc.integer({ min: -10, max: 100 }), fc.constantFrom(49.99, 50, 50.01), odd)
    const inputs = fc.oneof(
      {
        weight: 9,
        arbitrary: fc.record(
          { amount, currency: fc.oneof(fc.constantFrom('EUR', 'EUR', 'USD', 'eur'), odd) },
          { requiredKeys: [] },
        ),
      },
      odd,
    )
    let covered = 0
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        const { active } = await matchPolicies({ conditions, now }, [policy], {
          tool: { ...tool, connectorName: 'shop' },
          input,
          requester: { kind: 'user', name: 'Ada', role: 'member' },
          webhookId: null,
          channelId: general,
        })
        const { amount: given, currency } = (input ?? {}) as Record<string, unknown>
        const says = typeof given === 'number' && given >= 0 && given <= 50 && currency === 'EUR'
        // Long numbers ask: a condition computes with 15 digits.
        const isLong = /[\d.]{16}/.test(JSON.stringify(input).replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'))
        assert.equal(active !== null, says && !isLong, JSON.stringify(input))
        if (active) covered++
      }),
      { numRuns: 400 },
    )
    assert.ok(covered > 10, `${covered} were covered`)
  },
)

verifies(
  'policies:suggestions',
  'a poisoned history widens no suggestion: a field that varied once, or that is new, is not left open',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    const suggestions = async () =>
      (await app.get<{ items: { when: string }[] }>('/api/v1/policies/suggestions')).items
    const approve = async (input: Record<string, unknown>) => {
      const { approval } = await gate.ask({ name: 'shop__refund', input })
      assert.equal((await gate.decide(approval.id, 'approve')).status, 200)
    }
    // What an attacker would prepare: many harmless calls for one order.
    for (let at = 0; at < 100; at++) await approve({ id: 'A-1', amount: 1 + (at % 3) })
    const when = 'input.amount >= 0 && input.amount <= 3 && input.id == "A-1"'
    assert.equal((await suggestions())[0]?.when, when)
    // Then one large amount: the bound stays.
    await approve({ id: 'A-1', amount: 5000 })
    await approve({ id: 'A-1', amount: 5000 })
    assert.equal((await suggestions())[0]?.when, when)
    // Then another order: no rule covers what was approved once, and none is proposed that would.
    await approve({ id: 'B-9', amount: 1 })
    assert.deepEqual(await suggestions(), [])
  },
)

verifies(
  'policies:suggestions',
  'a suggestion about an input with a reserved name can be saved',
  async () => {
    const app = await sharedApp()
    await using gate = await startGateOn(app)
    const created = await app.api('POST', '/api/v1/connectors', {
      type: 'http',
      name: 'Ledger',
      baseUrl: gate.target.origin,
      tools: [
        {
          name: 'convert',
          description: 'Converts an amount',
          method: 'POST',
          path: '/convert',
          capability: 'write',
          inputSchema: { type: 'object', properties: { in: { type: 'number' } } },
        },
      ],
    })
    assert.equal(created.status, 201, created.text)
    for (let at = 0; at < 10; at++) {
      const { approval } = await gate.ask({ name: 'ledger__convert', input: { in: 5 } })
      assert.equal((await gate.decide(approval.id, 'approve')).status, 200)
    }
    const { items } = await app.get<{ items: { tool: string; when: string }[] }>(
      '/api/v1/policies/suggestions',
    )
    const when = items.find(({ tool }) => tool === 'ledger__convert')?.when
    assert.equal(when, 'input["in"] >= 0 && input["in"] <= 5')
    await using _ = await addPolicy(app, { ...small, tool: 'ledger__convert', when })
  },
)

verifies(
  'policies:daily-line',
  'when a day is over, each channel is told once what each policy let through, also with two workers',
  async () => {
    const app = await sharedApp()
    await using gate = await startGateOn(app)
    await using policy = await addPolicy(app, {
      ...small,
      name: 'Small *refunds* <!channel>',
      cap: { calls: 5, per: 'day', sum: { of: '/amount', max: 100 } },
    })
    for (const amount of [12.5, 7.75])
      assert.equal((await gate.call({ ...refund(amount), channelId: general })).kind, 'answered')
    const told = async () =>
      (await app.get<{ items: Message[] }>(`/api/v1/channels/${general}/messages`)).items
        .map(({ text }) => text)
        .filter((text) => text.includes(policy.id))
    await Promise.all([reportAutomatic(gate.ctx), reportAutomatic(gate.ctx)])
    assert.deepEqual(await told(), [], 'the day is not over')
    await sql`
      update approvals set decided_at = decided_at - interval '1 day' where policy_id = ${policy.id}`.execute(
      gate.ctx.db,
    )
    await Promise.all([reportAutomatic(gate.ctx), reportAutomatic(gate.ctx)])
    await until(async () => (await told()).length > 0)
    await reportAutomatic(gate.ctx)
    const [line, ...others] = await told()
    assert.match(
      line ?? '',
      /^On \d{4}-\d\d-\d\d, the policy “Small refunds !channel” let 2 calls of Shop · refund through without asking, 20\.25 in total\. http.*\/policies\/pol_/,
    )
    assert.deepEqual(others, [])
  },
)

verifies(
  'policies:paused-by-surprise',
  'a policy about the tool of an MCP server stops when the server publishes another pin, also once that is accepted',
  async () => {
    const app = await sharedApp()
    const tool = { name: 'post', description: 'Posts', inputSchema: { type: 'object' } }
    await using server = await startSmallMcp([tool])
    await using scene = await startMcpSceneOn(app, { url: `${server.origin}/mcp` })
    await scene.refresh()
    await scene.enable('post', 'write')
    await using policy = await addPolicy(app, { ...small, tool: 'docs__post', when: 'true' })
    assert.equal((await scene.call('docs__post')).kind, 'answered')
    server.published.tools = [{ ...tool, description: 'Posts, to everybody' }]
    await scene.refresh()
    assert.equal((await policy.read()).state, 'paused')
    await scene.enable('post', 'write')
    assert.equal((await scene.call('docs__post')).kind, 'waiting')
    assert.match((await policy.read()).pausedReason ?? '', /was edited/)
  },
)
