import assert from 'node:assert/strict'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import { decideApproval } from '../../src/approvals/decide-approval.ts'
import type { Message } from '../../src/chat/contract.ts'
import type { ApprovalId } from '../../src/shared/ids.ts'
import { join } from '../accounts/visitor.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startGateOn } from '../support/start-gate.ts'
import { general, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp, type TestApp, testApiKey } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Edited = ApprovalShape & { type?: string; detail: string; errors?: { pointer: string }[] }

function edit(app: TestApp, id: string, input: unknown, ifMatch?: string) {
  const headers = ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } }
  return app.api<Edited>('POST', `/api/v1/approvals/${id}/edit`, { input }, headers)
}

const refund = (amount: unknown) => ({ name: 'shop__refund', input: { id: 'A-1', amount } })

verifies(
  'approvals:edit',
  'an edited input is validated, changes digest and request, and is what is sent once it is approved; a long number stays as written',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    const asked = refund(80)
    const { callId, approval } = await gate.ask(asked)
    const refused = await edit(app, approval.id, { id: 'A-1', amount: 'fifty' })
    assert.equal(refused.status, 422)
    assert.equal(refused.body.errors?.[0]?.pointer, '/input/amount')
    assert.equal((await edit(app, approval.id, 'all of it')).status, 422)

    const same = await edit(app, approval.id, { id: 'A-1', amount: 80 })
    assert.deepEqual([same.body.digest, same.body.edited], [approval.digest, null])

    const form = await app.get<{ input: unknown; inputSchema: { required?: string[] }; digest: string }>(
      `/api/v1/approvals/${approval.id}/edit`,
    )
    assert.deepEqual(form.input, { id: 'A-1', amount: 80 })
    assert.deepEqual(form.inputSchema.required, ['id'])
    assert.equal(form.digest, approval.digest)

    const raw = await fetch(`${app.url}/api/v1/approvals/${approval.id}/edit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testApiKey}`, 'content-type': 'application/json' },
      body: '{"input":{"id":"A-1","amount":50.00000000000000001}}',
    })
    assert.equal(raw.status, 200)
    const { body: edited } = await app.api<ApprovalShape>('GET', `/api/v1/approvals/${approval.id}`)
    assert.notEqual(edited.digest, approval.digest)
    assert.match(edited.request.body ?? '', /"amount":50\.00000000000000001/)
    assert.deepEqual(
      edited.edited?.changes?.map(({ at, from }) => ({ at, from })),
      [{ at: '/amount', from: 80 }],
    )
    assert.equal(edited.status, 'pending')
    assert.equal((await gate.call(asked, callId)).kind, 'waiting')

    assert.equal((await gate.decide(approval.id, 'approve')).status, 200)
    const outcome = await gate.call(asked, callId)
    assert.ok(outcome.kind === 'answered')
    assert.equal(outcome.approvedBy?.edited?.changes[0]?.at, '/amount')
    assert.deepEqual(
      gate.target.seen.map(({ body }) => body),
      ['{"amount":50.00000000000000001}'],
    )
    assert.equal((await edit(app, approval.id, { id: 'A-2' })).body.type, 'approval-not-pending')
    const { items } = await app.get<{ items: { action: string; detail: { changed?: unknown } }[] }>(
      '/api/v1/audit',
    )
    const audited = items.find(({ action }) => action === 'approval.edited')
    assert.deepEqual(audited?.detail.changed, ['/amount'])
  },
)

verifies(
  ['approvals:edit', 'approvals:decide-what-was-seen'],
  'of an edit and clicks at the same moment, a click counts only for the request that it was made for',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    for (let round = 0; round < 8; round++) {
      const asked = refund(80)
      const { callId, approval } = await gate.ask(asked)
      const click = () =>
        app.api<{ type?: string }>(
          'POST',
          `/api/v1/approvals/${approval.id}/approve`,
          {},
          {
            headers: { 'if-match': `"${approval.digest}"` },
          },
        )
      const before = gate.target.seen.length
      const [first, edited] = await Promise.all(
        round % 2 === 0
          ? [click(), edit(app, approval.id, { id: 'A-1', amount: 7 }, `"${approval.digest}"`)]
          : [edit(app, approval.id, { id: 'A-1', amount: 7 }, `"${approval.digest}"`), click()].reverse(),
      )
      await gate.call(asked, callId)
      const sent = gate.target.seen.slice(before).map(({ body }) => body)
      if (first?.status === 200) {
        assert.deepEqual([edited?.status, sent], [409, ['{"amount":80}']])
      } else {
        assert.deepEqual([first?.body.type, edited?.status, sent], ['approval-changed', 200, []])
      }
    }
    // Seen before the edit: refused, also for a denial or another edit; `*` means whatever it is.
    const { approval } = await gate.ask(refund(80))
    await edit(app, approval.id, { id: 'A-1', amount: 7 })
    const stale = { headers: { 'if-match': `"${approval.digest}"` } }
    for (const verb of ['approve', 'deny', 'edit']) {
      const body = verb === 'edit' ? { input: { id: 'A-1', amount: 9 } } : {}
      const late = await app.api<{ type: string; detail: string }>(
        'POST',
        `/api/v1/approvals/${approval.id}/${verb}`,
        body,
        stale,
      )
      assert.deepEqual([late.status, late.body.type], [409, 'approval-changed'], verb)
      assert.match(late.body.detail, /edited the request since/)
    }
    const odd = await app.api(
      'POST',
      `/api/v1/approvals/${approval.id}/deny`,
      {},
      { headers: { 'if-match': 'sha' } },
    )
    assert.equal(odd.status, 400)
    const any = await app.api(
      'POST',
      `/api/v1/approvals/${approval.id}/deny`,
      {},
      { headers: { 'if-match': '*' } },
    )
    assert.equal(any.status, 200)
  },
)

verifies(
  'approvals:decide-what-was-seen',
  'a click on a card in a channel counts only for the edition that the card showed',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { approval } = await gate.ask({ ...refund(80), channelId: general })
    await edit(gate.app, approval.id, { id: 'A-1', amount: 7 })
    const click = (edition: number) =>
      decideApproval(gate.ctx, {
        approvalId: approval.id as ApprovalId, // the server gives ids of approvals
        decision: 'approve',
        actor: { kind: 'user', id: 'usr_1', name: 'Ada', role: 'admin' },
        reason: null,
        via: 'card',
        channelId: general,
        edition,
      })
    await assert.rejects(click(0), { type: 'approval-changed' })
    assert.equal((await click(1)).status, 'approved')
  },
)

verifies(
  ['approvals:edit', 'policies:stricter-only'],
  'policies are asked about the edited input: one refuses the edit, one makes it a confirmation, none makes it automatic',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    const add = async (policy: Record<string, unknown>) => {
      const created = await app.api<{ id: string }>('POST', '/api/v1/policies', {
        tool: 'shop__refund',
        ...policy,
      })
      assert.equal(created.status, 201, created.text)
      return {
        [Symbol.asyncDispose]: async () =>
          void (await app.api('DELETE', `/api/v1/policies/${created.body.id}`)),
      }
    }
    await using _deny = await add({ name: 'Never', when: 'input.amount > 5000', then: 'deny' })
    await using _confirm = await add({ name: 'Large', when: 'input.amount > 1000', then: 'confirm' })
    await using _auto = await add({
      name: 'Small',
      when: 'input.amount < 10',
      then: 'auto',
      cap: { calls: 9, per: 'day' },
    })
    const { approval } = await gate.ask(refund(80))
    const refused = await edit(app, approval.id, { id: 'A-1', amount: 5001 })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /The policy “Never” does not allow this call/)
    const small = await edit(app, approval.id, { id: 'A-1', amount: 1 })
    assert.deepEqual([small.body.status, small.body.kind], ['pending', 'approve'])
    const large = await edit(app, approval.id, { id: 'A-1', amount: 1001 })
    assert.equal(large.body.kind, 'confirm')
    assert.equal((await gate.decide(approval.id, 'approve')).body.type, 'confirm-in-channel')
  },
)

verifies(
  'approvals:edit',
  'members cannot edit; the card says who changed what, and the agent is told with the answer',
  async () => {
    await using model = await startStubAnthropic((_request, index) =>
      index === 0 ? { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] } : { text: 'Done.' },
    )
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook({})
    const { runId } = await shop.sendEvent(webhook)
    const cards = async () =>
      (await shop.app.get<{ items: Message[] }>(`/api/v1/channels/${shop.channelId}/messages`)).items.filter(
        ({ runId: of, card }) => of === runId && card !== null,
      )
    await until(async () => (await cards()).length === 1)
    const [message] = await cards()
    assert.ok(message?.card)
    const id = message.card.approvalId
    const member = await join(shop.app, 'member')
    const attempt = await member.visitor.send('POST', `/approvals/${id}/edit`, {
      input: { id: 'A-9' },
    })
    assert.equal(attempt.status, 403)

    assert.equal((await edit(shop.app, id, { id: 'A-2' })).status, 200)
    const card = async () => (await shop.app.get<Message>(`/api/v1/messages/${message.id}`)).card
    await until(async () => (await card())?.edition === 1)
    assert.ok(
      (await card())?.lines.some(
        ({ label, value }) => /^Edited by /.test(label) && value === 'id: "A-1" → "A-2"',
      ),
    )
    assert.match((await card())?.request ?? '', /\/orders\/A-2\/refund/)
    assert.equal((await shop.app.api('POST', `/api/v1/approvals/${id}/approve`, {})).status, 200)
    await shop.endedRun(runId)
    assert.equal(shop.target.seen.at(-1)?.url, '/orders/A-2/refund')
    assert.match(
      JSON.stringify(model.requests.at(-1)),
      /edited the input before it was sent: .*id.* became .*A-2.* approved this call/,
    )
  },
)
