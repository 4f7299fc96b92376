import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { AuditRecord } from '../../src/accounts/contract.ts'
import { remindOfApproval, showApproval } from '../../src/approvals/ask-in-chat.ts'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import { decideApproval } from '../../src/approvals/decide-approval.ts'
import { expireApprovals } from '../../src/approvals/expire-approvals.ts'
import { claimReminders } from '../../src/approvals/store.ts'
import type { ApprovalId, UserId } from '../../src/shared/ids.ts'
import { createKey, join } from '../accounts/visitor.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startGate, startGateOn } from '../support/start-gate.ts'
import { general } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const person = { kind: 'user', id: 'usr_1', name: 'Ada', role: 'admin' } as const
const program = { kind: 'api-key', id: 'key_1', name: 'ci', role: 'admin' } as const

verifies(
  'approvals:one-decision',
  'of twenty simultaneous clicks one decides; the others are told that it is decided',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { approval } = await gate.ask({ name: 'shop__refund' })
    const clicks = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        gate.decide(approval.id, index % 2 === 0 ? 'approve' : 'deny'),
      ),
    )
    const refused = clicks.filter(({ status }) => status === 409)
    assert.equal(refused.length, 19)
    assert.ok(refused.every(({ body }) => body.type === 'approval-not-pending'))
  },
)

verifies(
  'approvals:one-decision',
  'a decision, its record and what follows from it are written together or not at all',
  async () => {
    await using gate = await startGate({ env: { ROLE: 'web' } })
    const { ctx } = gate
    const { approval } = await gate.ask({ name: 'shop__refund', channelId: general })
    const left = async () => {
      const { rows: audited } = await sql`select from audit_log where action = 'approval.approved'`.execute(
        ctx.db,
      )
      const { rows: jobs } = await sql`select from jobs.job where name = 'run.advance'`.execute(ctx.db)
      const { status } = await gate.app.get<ApprovalShape>(`/api/v1/approvals/${approval.id}`)
      return [status, audited.length, jobs.length]
    }
    const click = {
      approvalId: approval.id as ApprovalId, // the server gives ids of approvals
      decision: 'approve',
      actor: person,
      reason: null,
      via: 'api',
    } as const
    const fails = async (): Promise<never> => {
      throw new Error('The disk is full.')
    }
    await assert.rejects(decideApproval({ ...ctx, audit: fails }, click), /disk is full/)
    assert.deepEqual(await left(), ['pending', 0, 0])
    const sendMany: typeof ctx.queue.sendMany = async (...sent) => {
      await ctx.queue.sendMany(...sent)
      if (sent[1] === 'approval.show') await fails()
    }
    await assert.rejects(decideApproval({ ...ctx, queue: { ...ctx.queue, sendMany } }, click), /disk is full/)
    assert.deepEqual(await left(), ['pending', 0, 0])
    await decideApproval(ctx, click)
    assert.deepEqual(await left(), ['approved', 1, 1])
  },
)

verifies(
  'approvals:one-decision',
  'a decision with a field that is not known decides nothing, and a reason that is null is none',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { approval } = await gate.ask({ name: 'shop__refund' })
    const decide = (how: string, body: unknown) =>
      gate.app.api<ApprovalShape & { errors?: { pointer: string }[] }>(
        'POST',
        `/api/v1/approvals/${approval.id}/${how}`,
        body,
      )
    const meantOtherwise = await decide('approve', { decision: 'deny' })
    assert.deepEqual(
      [meantOtherwise.status, meantOtherwise.body.errors?.map(({ pointer }) => pointer)],
      [422, ['/decision']],
    )
    assert.equal((await decide('deny', { comment: 'Not now' })).status, 422)
    const denied = await decide('deny', { reason: null })
    assert.deepEqual([denied.status, denied.body.status, denied.body.reason], [200, 'denied', null])
  },
)

verifies(
  'approvals:who-approves',
  'a write is decided by a signed-in admin, including the requester, or with an admin’s API key, and by nobody else',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const ada = await join(gate.app, 'admin')
    // The server gives ids of users.
    const requester = { kind: 'user', id: ada.id as UserId, name: 'Ada', isAdmin: true } as const
    const [own, other] = [
      (await gate.ask({ name: 'shop__refund', requester })).approval,
      (await gate.ask({ name: 'shop__refund' })).approval,
    ]
    for (const role of ['member', 'operator'] as const) {
      const { visitor } = await join(gate.app, role)
      assert.equal((await visitor.send('POST', `/approvals/${own.id}/approve`, {})).status, 403, role)
      const key = await createKey(gate.app, role)
      const byKey = await gate.app.api('POST', `/api/v1/approvals/${own.id}/approve`, {}, { key })
      assert.equal(byKey.status, 403, role)
    }
    const mine = await ada.visitor.send<ApprovalShape>('POST', `/approvals/${own.id}/approve`, {})
    assert.deepEqual([mine.status, mine.body.status, mine.body.decidedBy?.id], [200, 'approved', ada.id])
    const key = await createKey(gate.app, 'admin')
    const byKey = await gate.app.api<ApprovalShape>(
      'POST',
      `/api/v1/approvals/${other.id}/deny`,
      { reason: 'Not now' },
      { key },
    )
    assert.deepEqual(
      [byKey.status, byKey.body.status, byKey.body.decidedBy?.kind, byKey.body.reason],
      [200, 'denied', 'api-key', 'Not now'],
    )
    const audit = await gate.app.get<{ items: AuditRecord[] }>(
      `/api/v1/audit?action=approval.approved&subject=${own.id}`,
    )
    assert.deepEqual(
      audit.items.map(({ actor, source }) => [actor.name, source]),
      [[mine.body.decidedBy?.name, '127.0.0.1']],
    )
  },
)

verifies(
  'approvals:who-confirms',
  'a destructive call is confirmed by a person on the card, never with an API key or from a list',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { approval } = await gate.ask({ name: 'shop__delete_order' })
    const id = approval.id as ApprovalId
    const click = { approvalId: id, channelId: 'chan_general', decision: 'approve', reason: null } as const
    await assert.rejects(decideApproval(gate.ctx, { ...click, actor: program, via: 'card' }), {
      type: 'confirm-in-channel',
    })
    await assert.rejects(decideApproval(gate.ctx, { ...click, actor: person, via: 'api' }), {
      type: 'confirm-in-channel',
    })
    assert.equal((await gate.decide(id, 'approve')).status, 403)
    // A click that comes from elsewhere, where nobody saw this card.
    for (const channelId of [general, null] as const) {
      const elsewhere = { ...click, channelId, actor: person, via: 'card' } as const
      await assert.rejects(decideApproval(gate.ctx, elsewhere), { type: 'forbidden' })
    }
    const decided = await decideApproval(gate.ctx, { ...click, actor: person, via: 'card' })
    assert.equal(decided.status, 'approved')
  },
)

verifies(
  'approvals:role-at-click',
  'only an admin decides, by the role at the moment of the click and not by that at the sign-in',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    await join(gate.app, 'admin', 'another@example.com')
    const ada = await join(gate.app, 'admin', 'ada@example.com')
    const { approval } = await gate.ask({ name: 'shop__refund' })
    const click = async () => (await ada.visitor.send('POST', `/approvals/${approval.id}/approve`, {})).status
    const makeAda = (role: string) => gate.app.api('PATCH', `/api/v1/users/${ada.id}`, { role })
    for (const role of ['member', 'operator']) {
      assert.equal((await makeAda(role)).status, 200)
      assert.equal(await click(), 403, role)
      // The same roles count on a card.
      const actor = { ...person, role: role as 'member' | 'operator' } // one of the two above
      const onCard = decideApproval(gate.ctx, {
        approvalId: approval.id as ApprovalId,
        decision: 'approve',
        actor,
        via: 'card',
        channelId: 'chan_general',
        reason: null,
      })
      await assert.rejects(onCard, { type: 'not-an-approver' })
    }
    assert.equal(
      (await gate.app.get<{ status: string }>(`/api/v1/approvals/${approval.id}`)).status,
      'pending',
    )
    await makeAda('admin')
    assert.equal(await click(), 200)
  },
)

verifies(
  'approvals:expiry',
  'an approval that nobody decides within a day is denied, after one reminder',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { callId, approval } = await gate.ask({ name: 'shop__refund', channelId: general })
    assert.equal(Date.parse(approval.expiresAt) - Date.parse(approval.createdAt), 24 * 3_600_000)
    const reminders = async () => {
      const { items } = await gate.app.get<{ items: { text: string }[] }>(
        `/api/v1/channels/${general}/messages`,
      )
      const reminder =
        /^Still waiting for an admin: Shop · refund\. It expires at \d{4}-\d\d-\d\d \d\d:\d\d \(Pacific\/Auckland\)\./
      return items.filter(({ text }) => reminder.test(text)).length
    }
    await sql`update approvals set created_at = now() - interval '13 hours', expires_at = now() + interval '11 hours' where id = ${approval.id}`.execute(
      gate.ctx.db,
    )
    await gate.app.api('PATCH', '/api/v1/settings', { timeZone: 'Pacific/Auckland' })
    for (let n = 0; n < 3; n++) await expireApprovals(gate.ctx)
    assert.deepEqual(await claimReminders(gate.ctx.db), [])
    await until(async () => (await reminders()) > 0)

    const decided = await gate.ask({ name: 'shop__refund', channelId: general })
    assert.equal((await gate.decide(decided.approval.id, 'deny')).status, 200)
    await sql`update approvals set expires_at = now() - interval '1 second'`.execute(gate.ctx.db)
    assert.equal((await gate.decide(approval.id, 'approve')).status, 409)
    let isHeard = false
    gate.ctx.live.followChanges((changes) => (isHeard ||= changes !== 'missed' && 'approvals' in changes))
    await until(async () => {
      await expireApprovals(gate.ctx)
      return (await gate.app.get<{ status: string }>(`/api/v1/approvals/${approval.id}`)).status === 'expired'
    })
    const outcome = await gate.call({ name: 'shop__refund' }, callId)
    assert.ok(outcome.kind === 'answered')
    assert.equal(outcome.answer.error?.code, 'approval_expired')
    await until(() => isHeard)
    const { status } = await gate.app.get<ApprovalShape>(`/api/v1/approvals/${decided.approval.id}`)
    assert.equal(status, 'denied', 'what is decided stays so')
    assert.equal(gate.target.seen.length, 0)
    assert.equal(await reminders(), 1)
  },
)

verifies('chat:cards', 'a card that is decided while it is being posted shows the decision', async () => {
  // Without workers, so that the two jobs run only here.
  await using gate = await startGate({ env: { ROLE: 'web' } })
  const { approval } = await gate.ask({ name: 'shop__refund', channelId: general })
  const id = approval.id as ApprovalId // as the API gives it
  const { chat } = gate.ctx
  const decidesMeanwhile: typeof chat.post = async (message) => {
    const posted = await chat.post(message)
    assert.equal((await gate.decide(id, 'deny')).status, 200)
    await showApproval(gate.ctx, id)
    return posted
  }
  await showApproval({ ...gate.ctx, chat: { ...chat, post: decidesMeanwhile } }, id)
  // A reminder after the decision posts nothing.
  await remindOfApproval(gate.ctx, id)
  const { items } = await gate.app.get<{ items: { card: { state: string } | null }[] }>(
    `/api/v1/channels/${general}/messages`,
  )
  assert.deepEqual(
    items.map(({ card }) => card?.state),
    ['denied'],
  )
})
