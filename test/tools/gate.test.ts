import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import { newId, type ToolCallId, type UserId, type WebhookId } from '../../src/shared/ids.ts'
import { decidePolicy } from '../../src/tools/gate/decide-policy.ts'
import type { GateCall } from '../../src/tools/gate/gate-call.ts'
import type { Requester } from '../../src/tools/gate/requester.ts'
import { join } from '../accounts/visitor.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { admin, hook, member, startGateOn } from '../support/start-gate.ts'
import { general } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies(
  ['permissions:read-runs', 'permissions:capability-sets-default'],
  'a read tool runs at once, whoever asks',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    for (const requester of [admin, member, hook]) {
      const outcome = await gate.call({ name: 'shop__get_order', requester })
      assert.equal(outcome.kind, 'answered')
    }
    assert.deepEqual(
      gate.target.seen.map(({ method, url }) => `${method} ${url}`),
      Array(3).fill('GET /orders/A-1'),
    )
    assert.equal(gate.target.seen[0]?.headers.authorization, 'Bearer planted-shop-token')
  },
)

verifies(
  ['runs:one-worker', 'runs:no-repeated-write'],
  'a write is not sent if its worker turns out to have lost the run right before the first byte, after it was sure a moment ago',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const asked = { name: 'shop__refund', requester: hook }
    const { callId, approval } = await gate.ask(asked)
    await gate.decide(approval.id, 'approve')
    let isAsked = false
    const ownership = {
      ensure: async () => undefined,
      isOwned() {
        isAsked = true
        return false
      },
    }
    const outcome = await gate.call({ ...asked, ownership }, callId)
    // What became of it is for the new owner to say, which may have said so already.
    assert.equal(outcome.kind === 'answered' && outcome.answer.error?.code, 'outcome_unknown')
    assert.deepEqual([isAsked, gate.target.seen], [true, []])
  },
)

verifies(
  'http-tools:odd-answers',
  'an answer with U+0000 is stored, with its visible symbol instead',
  async () => {
    await using gate = await startGateOn(await sharedApp(), (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('paid\0back')
    })
    const callId = newId('toolCall')
    const read = { name: 'shop__get_order' }
    assert.equal((await gate.call(read, callId)).kind, 'answered')
    // The stored answer is returned from then on.
    const kept = await gate.call(read, callId)
    assert.ok(kept.kind === 'answered' && kept.answer.error === null, JSON.stringify(kept))
    assert.equal(kept.answer.body, 'paid\u2400back')
  },
)

verifies(
  ['permissions:write-asks', 'approvals:shows-request', 'approvals:bound-to-digest'],
  'a write waits with the request it would send, and after an approval exactly that is sent, once',
  async () => {
    await using gate = await startGateOn(await sharedApp(), (_request, response) => {
      const headers = { 'content-type': 'application/json', location: '/refunds/1' }
      response.writeHead(200, headers).end('{"ok":true}')
    })
    const input = { id: 'a/../b', amount: 12.5 }
    const { callId, approval } = await gate.ask({ name: 'shop__refund', input, requester: hook })
    assert.equal(gate.target.seen.length, 0)
    assert.equal(approval.kind, 'approve')
    assert.equal(approval.request.method, 'POST')
    assert.equal(approval.request.url, `${gate.target.origin}/orders/a%2F..%2Fb/refund`)
    assert.equal(approval.request.body, '{"amount":12.5}')
    assert.equal(approval.request.headers.Authorization, 'Bearer ••••••••')
    assert.equal(approval.request.headers['Content-Type'], 'application/json')
    assert.ok(!JSON.stringify(approval).includes('planted-shop-token'))
    assert.deepEqual(approval.requestedBy, { kind: 'webhook', id: 'hook_1', name: 'Orders' })
    assert.deepEqual([approval.runId, approval.tool], ['run_test', 'shop__refund'])

    assert.equal((await gate.call({ name: 'shop__refund', input, requester: hook }, callId)).kind, 'waiting')
    assert.equal((await gate.decide(approval.id, 'approve')).status, 200)
    const answered = await gate.call({ name: 'shop__refund', input, requester: hook }, callId)
    assert.ok(answered.kind === 'answered' && answered.answer.status === 200)
    const again = await gate.call({ name: 'shop__refund', input, requester: hook }, callId)
    assert.equal(answered.answer.headers, 'Location: /refunds/1')
    assert.deepEqual(again, answered)

    assert.equal(gate.target.seen.length, 1)
    const [sent] = gate.target.seen
    assert.equal(
      `${sent?.method} ${sent?.url} ${sent?.body}`,
      'POST /orders/a%2F..%2Fb/refund {"amount":12.5}',
    )
    assert.ok(sent?.headers['idempotency-key'])
  },
)

verifies('approvals:bound-to-digest', 'other arguments than the approved ones are never sent', async () => {
  await using gate = await startGateOn(await sharedApp())
  const { callId, approval } = await gate.ask({ name: 'shop__refund', input: { id: 'A-1', amount: 1 } })
  await gate.decide(approval.id, 'approve')
  const outcome = await gate.call({ name: 'shop__refund', input: { id: 'A-1', amount: 1_000_000 } }, callId)
  assert.ok(outcome.kind === 'answered')
  assert.equal(outcome.answer.error?.code, 'approval_void')
  assert.equal(gate.target.seen.length, 0)
})

verifies(
  'approvals:denial-is-data',
  'a denial with its reason goes to the agent as data, and nothing is sent',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { callId, approval } = await gate.ask({ name: 'shop__refund' })
    await gate.decide(approval.id, 'deny', 'wrong customer')
    const outcome = await gate.call({ name: 'shop__refund' }, callId)
    assert.ok(outcome.kind === 'answered')
    assert.equal(outcome.answer.error?.code, 'denied')
    assert.match(outcome.answer.error?.message ?? '', /wrong customer/)
    assert.equal(gate.target.seen.length, 0)
  },
)

verifies(
  'approvals:void-on-edit',
  'any edit of the tool or the connector voids the approval, even after it was given',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const connector = `/api/v1/connectors/${gate.connectorId}`
    const { tools } = await gate.app.get<{ tools: { id: string; name: string }[] }>(connector)
    const tool = `${connector}/tools/${tools.find(({ name }) => name === 'refund')?.id}`
    for (const [path, edit] of [
      [connector, { defaultHeaders: { 'x-shop': 'eu' } }],
      [connector, { authValue: 'another-shop-token' }],
      [tool, { description: 'Pays back everything' }],
      [tool, { path: '/orders/{id}/refund-all' }],
      [tool, { permission: 'confirm' }],
    ] as const) {
      const before = await gate.ask({ name: 'shop__refund' })
      const after = await gate.ask({ name: 'shop__refund' })
      await gate.decide(after.approval.id, 'approve')
      const changed = await gate.app.api('PATCH', path, edit)
      assert.equal(changed.status, 200, changed.text)

      const words = JSON.stringify(edit)
      const { status } = await gate.app.get<{ status: string }>(`/api/v1/approvals/${before.approval.id}`)
      assert.equal(status, 'void', words)
      assert.equal((await gate.decide(before.approval.id, 'approve')).status, 409, words)
      for (const { callId } of [before, after]) {
        const outcome = await gate.call({ name: 'shop__refund' }, callId)
        assert.ok(outcome.kind === 'answered', words)
        assert.equal(outcome.answer.error?.code, 'approval_void', words)
      }
    }

    for (const [path, edit] of [
      [connector, { defaultHeaders: { 'x-shop': 'us' } }],
      [tool, { description: 'Pays back twice' }],
    ] as const) {
      const { callId, approval } = await gate.ask({ name: 'shop__refund', requester: admin })
      await sql`update approvals set status = 'approved' where id = ${approval.id}`.execute(gate.ctx.db)
      // The edit comes after the last check of the tool, and before the first byte.
      const find: typeof gate.ctx.tools.find = async (name) => {
        const found = await gate.ctx.tools.find(name)
        const prepare: NonNullable<typeof found>['prepare'] = async (...asked) => {
          const prepared = await found?.prepare(...asked)
          assert.ok(prepared)
          assert.equal((await gate.app.api('PATCH', path, edit)).status, 200)
          return prepared
        }
        return found && { ...found, prepare }
      }
      const ctx = { ...gate.ctx, tools: { ...gate.ctx.tools, find } }
      await assert.rejects(gate.call({ name: 'shop__refund' }, callId, ctx), /changed/)
      const outcome = await gate.call({ name: 'shop__refund' }, callId)
      assert.equal(outcome.kind === 'answered' && outcome.answer.error?.code, 'approval_void')
    }

    // Deleted and created again, identically, it is another tool.
    const add = { name: 'pay', description: 'Pays', method: 'POST', path: '/pay', capability: 'write' }
    const made = { ...add, inputSchema: { type: 'object' } }
    const { body: first } = await gate.app.api<{ id: string }>('POST', `${connector}/tools`, made)
    const pay = { name: 'shop__pay', input: {} }
    const isVoid = async ({ callId, approval }: Awaited<ReturnType<typeof gate.ask>>) => {
      const outcome = await gate.call(pay, callId)
      assert.equal(outcome.kind === 'answered' && outcome.answer.error?.code, 'approval_void')
      return (await gate.app.get<ApprovalShape>(`/api/v1/approvals/${approval.id}`)).status
    }
    const [open, confirmed] = [await gate.ask(pay), await gate.ask(pay)]
    assert.equal((await gate.decide(confirmed.approval.id, 'approve')).status, 200)
    assert.equal((await gate.app.api('DELETE', `${connector}/tools/${first.id}`)).status, 204)
    const { body: second } = await gate.app.api<{ id: string }>('POST', `${connector}/tools`, made)
    assert.deepEqual([await isVoid(open), await isVoid(confirmed)], ['void', 'approved'])

    const off = await gate.ask(pay)
    const switchTo = (permission: string) =>
      gate.app.api('PATCH', `${connector}/tools/${second.id}`, { permission })
    assert.equal((await switchTo('off')).status, 200)
    assert.equal(await isVoid(off), 'void')
    assert.equal((await switchTo('approve')).status, 200)

    const [last, allowed] = [await gate.ask(pay), await gate.ask(pay)]
    assert.equal((await gate.decide(allowed.approval.id, 'approve')).status, 200)
    assert.equal((await gate.app.api('DELETE', connector)).status, 204)
    assert.deepEqual([await isVoid(last), await isVoid(allowed)], ['void', 'approved'])
    assert.equal(gate.target.seen.length, 0)
  },
)

verifies(
  ['permissions:destructive-confirms'],
  'a destructive tool is refused to anybody but an admin, and a webhook with the ceiling for it',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    for (const asked of [{ requester: member }, { requester: hook, ceiling: 'write' as const }]) {
      const outcome = await gate.call({ name: 'shop__delete_order', ...asked })
      assert.ok(outcome.kind === 'answered')
      assert.equal(outcome.answer.error?.code, 'denied')
    }
    const { approval } = await gate.ask({
      name: 'shop__delete_order',
      requester: hook,
      ceiling: 'destructive',
    })
    assert.equal(approval.kind, 'confirm')
    assert.equal((await gate.ask({ name: 'shop__delete_order', requester: admin })).approval.kind, 'confirm')
    assert.equal(gate.target.seen.length, 0)
  },
)

verifies(
  ['permissions:rights-of-now', 'permissions:destructive-confirms'],
  'when the requester is no longer an admin, or has no access any more, pending approvals are void, and an earlier approval sends nothing',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const statusOf = async ({ approval }: { approval: ApprovalShape }) =>
      (await gate.app.get<ApprovalShape>(`/api/v1/approvals/${approval.id}`)).status
    const sayYes = ({ approval }: { approval: ApprovalShape }) =>
      sql`update approvals set status = 'approved' where id = ${approval.id}`.execute(gate.ctx.db)
    const newcomer = async (
      role: 'admin' | 'member',
      email: string,
    ): Promise<Requester & { kind: 'user' }> => {
      const { id } = await join(gate.app, role, email)
      return { kind: 'user', id: id as UserId, name: email, isAdmin: role === 'admin' } // the server gives ids of users
    }
    const refused = async (
      asked: Partial<GateCall> & { name: string },
      callId: ToolCallId,
      words: RegExp,
    ) => {
      const outcome = await gate.call(asked, callId)
      assert.ok(outcome.kind === 'answered')
      assert.equal(outcome.answer.error?.code, 'denied')
      assert.match(outcome.answer.error?.message ?? '', words)
    }

    await newcomer('admin', 'first@example.com')
    const ada = await newcomer('admin', 'ada@example.com')
    const drop = { name: 'shop__delete_order', requester: ada }
    const refund = { name: 'shop__refund', requester: ada }
    const [confirmed, open, write] = [await gate.ask(drop), await gate.ask(drop), await gate.ask(refund)]
    await sayYes(confirmed)
    await gate.app.api('PATCH', `/api/v1/users/${ada.id}`, { role: 'member' })
    assert.deepEqual([await statusOf(open), await statusOf(write)], ['void', 'pending'])
    await refused(drop, confirmed.callId, /Only an admin/)
    await refused(drop, newId('toolCall'), /Only an admin/)

    await sayYes(write)
    const later = await gate.ask(refund)
    await gate.app.api('PATCH', `/api/v1/users/${ada.id}`, { disabled: true })
    assert.equal(await statusOf(later), 'void')
    await refused(refund, write.callId, /no longer has access to Bellhop/)

    const max = await newcomer('member', 'max@example.com')
    const asked = await gate.ask({ ...refund, requester: max })
    await gate.app.api('DELETE', `/api/v1/users/${max.id}`)
    assert.equal(await statusOf(asked), 'void')
    await refused({ ...refund, requester: max }, newId('toolCall'), /no longer has access/)

    const key = await gate.app.api<{ id: string }>('POST', '/api/v1/api-keys', { name: 'CI', role: 'member' })
    const program = { kind: 'api-key', id: key.body.id, name: 'CI', isAdmin: false } as const
    const byKey = { ...refund, requester: program }
    const [byProgram, allowed] = [await gate.ask(byKey), await gate.ask(byKey)]
    await sayYes(allowed)
    await gate.app.api('DELETE', `/api/v1/api-keys/${key.body.id}`)
    assert.equal(await statusOf(byProgram), 'void')
    const chief = await gate.app.api<{ id: string }>('POST', '/api/v1/api-keys', {
      name: 'CD',
      role: 'admin',
    })
    const demoted = { kind: 'api-key', id: chief.body.id, name: 'CD', isAdmin: true } as const
    const byChief = await gate.ask({ ...drop, requester: demoted })
    await gate.app.api('PATCH', `/api/v1/api-keys/${chief.body.id}`, { role: 'operator' })
    assert.equal(await statusOf(byChief), 'void')
    await refused(byKey, allowed.callId, /no longer has access/)
    assert.equal(gate.target.seen.length, 0)
  },
)

verifies(
  ['permissions:rights-of-now', 'permissions:ceiling', 'permissions:connectors-of-webhook'],
  'when a webhook may no longer use a tool, its pending approvals are void, and an earlier approval sends nothing',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const create = async (name: string): Promise<WebhookId> => {
      const body = { name, channelId: general, prompt: 'x', ceiling: 'destructive' }
      return (await gate.app.api<{ id: WebhookId }>('POST', '/api/v1/webhooks', body)).body.id
    }
    const requestOf = (id: WebhookId, name: string) => {
      const requester = { kind: 'webhook', id, name: 'Orders' } as const
      return {
        name,
        requester,
        limitedBy: { sourceId: id },
        ceiling: 'destructive',
        connectorIds: null,
      } as const
    }
    const [id, other] = [await create('Orders'), await create('Others')]
    const refund = requestOf(id, 'shop__refund')
    const drop = requestOf(id, 'shop__delete_order')
    const untouched = await gate.ask(requestOf(other, 'shop__delete_order'))
    const statusOf = async ({ approval }: { approval: ApprovalShape }) =>
      (await gate.app.get<ApprovalShape>(`/api/v1/approvals/${approval.id}`)).status
    const change = (patch: object) => gate.app.api('PATCH', `/api/v1/webhooks/${id}`, patch)

    for (const [asked, take, give, words] of [
      [drop, { ceiling: 'write' }, { ceiling: 'destructive' }, /may use tools up to write/],
      [refund, { ceiling: 'read' }, { ceiling: 'destructive' }, /may use tools up to read/],
      [refund, { connectorIds: [] }, { connectorIds: null }, /may no longer be used here/],
    ] as const) {
      const [open, confirmed] = [await gate.ask(asked), await gate.ask(asked)]
      await sql`update approvals set status = 'approved' where id = ${confirmed.approval.id}`.execute(
        gate.ctx.db,
      )
      assert.equal((await change(take)).status, 200)
      assert.equal(await statusOf(open), 'void')
      for (const callId of [confirmed.callId, newId('toolCall')]) {
        const outcome = await gate.call(asked, callId)
        assert.ok(outcome.kind === 'answered')
        assert.equal(outcome.answer.error?.code, 'denied')
        assert.match(outcome.answer.error?.message ?? '', words)
      }
      assert.equal((await change(give)).status, 200)
    }

    const write = await gate.ask(refund)
    await change({ name: 'Renamed', ceiling: 'write', connectorIds: [gate.connectorId] })
    assert.equal(await statusOf(write), 'pending', 'what it may still use waits on')
    await change({ active: false })
    assert.equal(await statusOf(write), 'void')
    // A draft can be tried.
    const tried = await gate.ask(refund)
    await change({ prompt: 'y' })
    assert.equal(await statusOf(tried), 'pending')
    const confirmed = await gate.ask(refund)
    await gate.decide(confirmed.approval.id, 'approve')
    assert.equal((await gate.app.api('DELETE', `/api/v1/webhooks/${id}`)).status, 204)
    assert.equal(await statusOf(tried), 'void')
    const outcome = await gate.call(refund, confirmed.callId)
    assert.match((outcome.kind === 'answered' && outcome.answer.error?.message) || '', /was deleted/)
    assert.equal(await statusOf(untouched), 'pending')
    assert.equal(gate.target.seen.length, 0)
  },
)

verifies('permissions:ceiling', 'a tool above the ceiling is refused with the reason as data', async () => {
  await using gate = await startGateOn(await sharedApp())
  const outcome = await gate.call({ name: 'shop__refund', requester: hook, ceiling: 'read' })
  assert.ok(outcome.kind === 'answered')
  assert.match(outcome.answer.error?.message ?? '', /may use tools up to read; this one is write/)
  assert.equal(gate.target.seen.length, 0)
})

verifies(
  'permissions:connectors-of-webhook',
  'a tool of a connector outside the list does not exist for the run',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const outcome = await gate.call({ name: 'shop__get_order', connectorIds: ['con_other'] })
    assert.ok(outcome.kind === 'answered')
    assert.equal(outcome.answer.error?.code, 'invalid_input')
    assert.equal(gate.target.seen.length, 0)
  },
)

verifies(
  'permissions:off-hides',
  'a tool that is off is refused to a model that knows its name',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const connector = await gate.app.get<{ tools: { id: string; name: string }[] }>(
      `/api/v1/connectors/${gate.connectorId}`,
    )
    const tool = connector.tools.find(({ name }) => name === 'get_order')
    await gate.app.api('PATCH', `/api/v1/connectors/${gate.connectorId}/tools/${tool?.id}`, {
      permission: 'off',
    })
    const outcome = await gate.call({ name: 'shop__get_order' })
    assert.ok(outcome.kind === 'answered' && outcome.answer.error?.code === 'denied')
    assert.equal(gate.target.seen.length, 0)
  },
)

verifies(
  'runs:no-repeated-write',
  'a write in progress at a crash is not sent again, and its outcome is reported as unknown',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const callId = newId('toolCall')
    const { approval } = { approval: (await gate.ask({ name: 'shop__refund' })).approval }
    await gate.decide(approval.id, 'approve')
    await sql`update tool_calls set id = ${callId}, state = 'sending' where approval_id = ${approval.id}`.execute(
      gate.ctx.db,
    )
    const outcome = await gate.call({ name: 'shop__refund' }, callId)
    assert.ok(outcome.kind === 'answered')
    assert.equal(outcome.answer.error?.code, 'outcome_unknown')
    assert.equal(gate.target.seen.length, 0)
  },
)

verifies(
  'permissions:one-gate',
  'a read that becomes a write while it is prepared, or while it waits to be repeated, is not sent as a read',
  async () => {
    await using gate = await startGateOn(await sharedApp(), (_request, response) =>
      response.writeHead(429, { 'retry-after': '1' }).end(),
    )
    const path = `/api/v1/connectors/${gate.connectorId}`
    const { tools } = await gate.app.get<{ tools: { id: string; name: string }[] }>(path)
    const tool = tools.find(({ name }) => name === 'get_order')
    const change = async (capability: string) => {
      const changed = await gate.app.api('PATCH', `${path}/tools/${tool?.id}`, { capability })
      assert.equal(changed.status, 200, changed.text)
    }
    // Somebody saves the tool after it was found and before it is prepared.
    let isSaved = false
    const find: typeof gate.ctx.tools.find = async (name) => {
      const found = await gate.ctx.tools.find(name)
      if (!isSaved) await change('write')
      isSaved = true
      return found
    }
    const context = { ...gate.ctx, tools: { ...gate.ctx.tools, find } }
    const asked = await gate.call({ name: 'shop__get_order' }, newId('toolCall'), context)
    assert.deepEqual([asked.kind, gate.target.seen.length], ['waiting', 0])

    await change('read')
    const wait = async () => {
      await change('write')
      return true
    }
    const putOff = await gate.call({ name: 'shop__get_order', wait })
    assert.deepEqual([putOff.kind, gate.target.seen.length], ['answered', 1])
  },
)

verifies(
  'runs:helpful-errors',
  'a read that is put off is repeated once, after the time that the target asks for or 5 seconds; a write never',
  async () => {
    for (const [headers, expected] of [
      [{ 'retry-after': '7' }, 7000],
      [{ 'retry-after': 'soon' }, 5000],
      [{}, 5000],
    ] as const) {
      await using gate = await startGateOn(await sharedApp(), (_request, response) =>
        response.writeHead(gate.target.seen.length === 1 ? 429 : 200, headers).end(),
      )
      const waits: number[] = []
      const wait = async (ms: number) => waits.push(ms) > 0
      const outcome = await gate.call({ name: 'shop__get_order', wait })
      assert.ok(outcome.kind === 'answered')
      assert.deepEqual([outcome.answer.status, gate.target.seen.length, waits], [200, 2, [expected]])
    }
    await using gate = await startGateOn(await sharedApp(), (_request, response) =>
      response.writeHead(429).end(),
    )
    const { callId, approval } = await gate.ask({ name: 'shop__refund' })
    await gate.decide(approval.id, 'approve')
    const outcome = await gate.call({ name: 'shop__refund', wait: async () => true }, callId)
    assert.ok(outcome.kind === 'answered')
    assert.deepEqual([outcome.answer.status, gate.target.seen.length], [429, 1])
  },
)

verifies('permissions:one-gate', 'two workers that hold the same approved call send it once', async () => {
  await using gate = await startGateOn(await sharedApp())
  const { callId, approval } = await gate.ask({ name: 'shop__refund' })
  await gate.decide(approval.id, 'approve')
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, () => gate.call({ name: 'shop__refund' }, callId)),
  )
  assert.equal(gate.target.seen.length, 1)
  assert.ok(results.some(({ status }) => status === 'fulfilled'))
})

verifies(
  'permissions:capability-sets-default',
  'the policy is a table: every permission, requester and ceiling has its answer',
  () => {
    const ask = (
      capability: 'read' | 'write' | 'destructive',
      permission: 'auto' | 'approve' | 'confirm' | 'off',
      requester: typeof admin | typeof member | typeof hook,
      ceiling: 'read' | 'write' | 'destructive' | null,
      crosses = false,
    ) => {
      const decision = decidePolicy({ capability, permission, requester, ceiling, crosses })
      return decision.kind === 'ask-admin'
        ? `ask${decision.confirmInChannel ? ' in channel' : ''}`
        : decision.kind
    }
    assert.equal(ask('read', 'auto', member, null), 'run')
    assert.equal(ask('write', 'approve', admin, null), 'ask')
    assert.equal(ask('write', 'auto', member, null), 'run')
    assert.equal(ask('destructive', 'confirm', admin, null), 'ask in channel')
    assert.equal(ask('destructive', 'confirm', member, null), 'refuse')
    assert.equal(ask('destructive', 'confirm', hook, 'write'), 'refuse')
    assert.equal(ask('destructive', 'confirm', hook, 'destructive'), 'ask in channel')
    assert.equal(ask('destructive', 'auto', hook, 'write'), 'refuse')
    // In the thread of a webhook its ceiling applies to people too, and makes nobody an admin.
    assert.equal(ask('write', 'auto', admin, 'read'), 'refuse')
    assert.equal(ask('destructive', 'confirm', admin, 'write'), 'refuse')
    assert.equal(ask('destructive', 'confirm', admin, 'destructive'), 'ask in channel')
    assert.equal(ask('destructive', 'confirm', member, 'destructive'), 'refuse')
    assert.equal(ask('read', 'off', admin, null), 'refuse')
    // After another connector was read, nothing runs without asking, and nothing is allowed that was not.
    assert.equal(ask('read', 'auto', hook, 'read', true), 'ask')
    assert.equal(ask('write', 'auto', hook, 'write', true), 'ask')
    assert.equal(ask('read', 'auto', admin, 'read', true), 'ask')
    assert.equal(ask('write', 'approve', hook, 'write', true), 'ask')
    assert.equal(ask('write', 'auto', hook, 'read', true), 'refuse')
    assert.equal(ask('destructive', 'confirm', hook, 'destructive', true), 'ask in channel')
    assert.equal(ask('read', 'off', hook, 'read', true), 'refuse')
  },
)
