import { problem } from '../http/problems.ts'
import type { JobSender } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import { readTime } from '../platform/db/read-time.ts'
import { pauseAutomatic } from '../policies/store.ts'
import { type Actor, mayActAs } from '../shared/actor.ts'
import type { Audit } from '../shared/audit.ts'
import type { ApprovalId, ChannelId } from '../shared/ids.ts'
import { announce } from './announce.ts'
import type { Approval } from './approval.ts'
import { moveFromPending, type Seen } from './decision-store.ts'
import { findApproval } from './store.ts'

type Context = JobSender & { audit: Audit }

export type Click = {
  approvalId: ApprovalId
  decision: 'approve' | 'deny'
  /** Looked up at the click, so that a revoked role no longer counts. */
  actor: Actor
  reason: string | null
  source?: string
} & Partial<Seen> &
  (
    | { via: 'api' }
    /** Only for a person who clicked the button in the channel itself. */
    | { via: 'card'; channelId: ChannelId | null }
  )

/** The decision, its audit entry, the run's wake-up and the card's update are one transaction. */
export async function decideApproval(ctx: Context, click: Click): Promise<Approval> {
  const approval = await findApproval(ctx.db, click.approvalId)
  if (!approval) throw problem('not-found', 'There is no such approval.')
  refuseWrongDecider(approval, click)
  return await ctx.db.transaction().execute(async (db) => {
    const { id, kind, name } = click.actor
    const to = click.decision === 'approve' ? 'approved' : 'denied'
    // What was judged above is what is moved: an edit meanwhile may need another kind of decision.
    const seen = { digest: click.digest ?? approval.digest, edition: click.edition ?? approval.edits }
    const decided = await moveFromPending(db, click.approvalId, to, { id, kind, name }, click.reason, seen)
    // On the same connection: if many took a second one at once, the pool would be exhausted.
    if (!decided) throw await explainRefusal(db, click.approvalId)
    await ctx.audit(db, {
      actor: click.actor,
      action: `approval.${to}`,
      subject: click.approvalId,
      source: click.source,
      detail: {
        tool: decided.tool,
        runId: decided.runId,
        digest: decided.digest,
        via: click.via,
        reason: click.reason,
      },
    })
    if (to === 'denied') await stopAutomatic(ctx, db, decided, click)
    await announce({ db, queue: ctx.queue }, [decided])
    return decided
  })
}

/** Whoever says no to a call that a policy covers has found something that the policy does not know. */
async function stopAutomatic(ctx: Context, db: Db, { id, policyId }: Approval, click: Click): Promise<void> {
  if (policyId === null) return
  const reason = `${click.actor.name} denied a call that this policy covers. Check its condition before you activate it again.`
  if (!(await pauseAutomatic(db, policyId, reason))) return
  const { actor, source } = click
  await ctx.audit(db, {
    actor,
    source,
    action: 'policy.paused',
    subject: policyId,
    detail: { approvalId: id },
  })
}

export function refuseNonApprover(_: Approval, actor: Actor): void {
  if (!mayActAs(actor, 'admin'))
    throw problem('forbidden', `Only an admin may decide this; you are ${actor.role}. Ask an admin.`)
}

function refuseWrongDecider(approval: Approval, click: Click): void {
  const { kind, channelId } = approval
  const { actor, via, decision } = click
  refuseNonApprover(approval, actor)
  // Whoever runs another workspace could sign a click on a button that nobody saw there.
  if (click.via === 'card' && click.channelId !== channelId) {
    throw problem(
      'forbidden',
      'This approval belongs to another channel. Decide it there, or in the dashboard.',
    )
  }
  if (kind === 'approve') return
  if (actor.kind !== 'user') {
    throw problem(
      'confirm-in-channel',
      'A destructive call is decided by a person, not with an API key. Sign in as an admin and decide it on its card in the channel.',
    )
  }
  // A denial is safe from anywhere; an approval must be given where everybody sees it.
  if (decision === 'approve' && via !== 'card') {
    throw problem(
      'confirm-in-channel',
      'A destructive call is confirmed on its card in the channel. Open the channel and press Confirm there.',
    )
  }
}

/** Why a decision or an edit found nothing to change. */
export async function explainRefusal(db: Db, id: ApprovalId): Promise<Error> {
  const now = await findApproval(db, id)
  if (now?.status === 'pending' && now.expiresAt > (await readTime(db)))
    return problem(
      'approval-changed',
      `${now.editedBy?.name ?? 'Somebody'} edited the request since you looked at it. Read it again before you decide.`,
    )
  const how = {
    approved: `${now?.decidedBy?.name ?? 'An admin'} already approved it.`,
    denied: `${now?.decidedBy?.name ?? 'An admin'} already denied it.`,
    expired: 'It expired before it was decided.',
    void: now?.decidedBy
      ? `${now.decidedBy.name} withdrew it.`
      : 'It is void: the tool, its connector, the channel, the run or the requester’s rights have changed.',
    pending: 'It has expired.',
  }[now?.status ?? 'void']
  return problem('approval-not-pending', how)
}
