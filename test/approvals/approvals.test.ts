import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { decideApproval } from '../../src/approvals/decide-approval.ts'
import { expireApprovals } from '../../src/approvals/expire-approvals.ts'
import type { ApprovalId } from '../../src/ids.ts'
import { startGate } from '../support/start-gate.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const person = { kind: 'user', id: 'usr_1', name: 'Ada', role: 'admin' } as const
const program = { kind: 'api-key', id: 'key_1', name: 'ci', role: 'admin' } as const

verifies(
  'approvals:one-decision',
  'of twenty clicks at once one decides, the others are told that it is decided',
  async () => {
    await using gate = await startGate()
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
  ['approvals:who-confirms', 'approvals:who-approves'],
  'a destructive call is confirmed by a person on the card, never with an API key or from a list',
  async () => {
    await using gate = await startGate()
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
    const decided = await decideApproval(gate.ctx, { ...click, actor: person, via: 'card' })
    assert.equal(decided.status, 'approved')
  },
)

verifies(
  'approvals:role-at-click',
  'only an admin decides, by the role at the moment of the click',
  async () => {
    await using gate = await startGate()
    const { approval } = await gate.ask({ name: 'shop__refund' })
    for (const role of ['member', 'operator'] as const) {
      const click = decideApproval(gate.ctx, {
        approvalId: approval.id as ApprovalId,
        decision: 'approve',
        actor: { ...person, role },
        via: 'card',
        channelId: 'chan_general',
        reason: null,
      })
      await assert.rejects(click, { type: 'forbidden' })
    }
    assert.equal(
      (await gate.app.get<{ status: string }>(`/api/v1/approvals/${approval.id}`)).status,
      'pending',
    )
  },
)

verifies('approvals:expiry', 'what nobody decides in time is denied, after one reminder', async () => {
  await using gate = await startGate()
  const { callId, approval } = await gate.ask({ name: 'shop__refund' })
  await sql`update approvals set created_at = now() - interval '13 hours', expires_at = now() + interval '11 hours' where id = ${approval.id}`.execute(
    gate.ctx.db,
  )
  await expireApprovals(gate.ctx)
  await expireApprovals(gate.ctx)
  const reminded = await sql<{
    remindedAt: Date | null
  }>`select reminded_at from approvals where id = ${approval.id}`.execute(gate.ctx.db)
  assert.ok(reminded.rows[0]?.remindedAt)

  await sql`update approvals set expires_at = now() - interval '1 second' where id = ${approval.id}`.execute(
    gate.ctx.db,
  )
  assert.equal((await gate.decide(approval.id, 'approve')).status, 409)
  await until(async () => {
    await expireApprovals(gate.ctx)
    return (await gate.app.get<{ status: string }>(`/api/v1/approvals/${approval.id}`)).status === 'expired'
  })
  const outcome = await gate.call({ name: 'shop__refund' }, callId)
  assert.ok(outcome.kind === 'answered')
  assert.equal(outcome.answer.error?.code, 'approval_expired')
  assert.equal(gate.target.seen.length, 0)
})
