import type { UserGroupContext } from '../chat/identities/list-user-group.ts'
import { ownsAccount } from '../chat/identities/store.ts'
import { problem } from '../http/problems.ts'
import type { JobSender } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import { readTime } from '../platform/db/read-time.ts'
import { type Actor, mayActAs } from '../shared/actor.ts'
import type { Audit } from '../shared/audit.ts'
import type { ApprovalId, ChannelId } from '../shared/ids.ts'
import { announce } from './announce.ts'
import type { Approval } from './approval.ts'
import {
  deleteGiven,
  insertGiven,
  listGiven,
  lockPending,
  moveFromPending,
  type Seen,
} from './decision-store.ts'
import {
  type Electorate,
  explainNoApprover,
  findLapsed,
  findPersonId,
  isApprover,
  mayApproveOwn,
  nameGroups,
  readElectorate,
  readSlackMembers,
  type SlackMembers,
} from './electorate.ts'
import { pauseAutomatic } from './policies/store.ts'
import { findApproval, findShownApproval, type ShownApproval } from './store.ts'

export type VoterContext = UserGroupContext & {
  settings: { read(): Promise<{ approvals: { adminsMayApprove: boolean } }> }
}

export type DecideContext = JobSender & VoterContext & { audit: Audit }

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

/**
 * The decision, its audit entry, the run's wake-up and the card's update are one transaction. An approval that is not the last one
 * that the call needs is kept, and the call waits on.
 */
export async function decideApproval(ctx: DecideContext, click: Click): Promise<Approval> {
  const approval = await findShownApproval(ctx.db, click.approvalId)
  if (!approval) throw problem('not-found', 'There is no such approval.')
  const voters = await readVoters(ctx, approval)
  await refuseNonApprover(ctx, approval, click.actor, click.decision, voters)
  refuseWrongPlace(approval, click)
  return await ctx.db.transaction().execute(async (tx) => {
    // What was judged above is what is decided: an edit meanwhile may need another kind of decision.
    const seen = { digest: click.digest ?? approval.digest, edition: click.edition ?? approval.edits }
    const isSame = seen.digest === approval.digest && seen.edition === approval.edits
    // On the same connection: if many took a second one at once, the pool would be exhausted.
    if (!isSame || !(await lockPending(tx, approval.id, seen))) throw await explainRefusal(tx, approval.id)
    if (click.decision === 'deny') return await end(ctx, tx, approval, click, 'denied')
    const progress = await addApproval(tx, approval, click.actor, voters)
    if (progress.count >= approval.approvalsNeeded)
      return await end(ctx, tx, approval, click, 'approved', progress)
    await record(ctx, tx, approval, click, 'approval.given', progress)
    await ctx.queue.send(tx, 'approval.show', { approvalId: approval.id }, { key: approval.id })
    return approval
  })
}

type Progress = { count: number; lapsed: string[] }

/** Counts those who may still approve: a role or a membership that was lost takes the approval with it. */
async function addApproval(tx: Db, approval: ShownApproval, actor: Actor, voters: Voters): Promise<Progress> {
  const { id, edits } = approval
  const personId = await findPersonId(tx, actor)
  const given = await listGiven(tx, id, edits)
  const lapsed = await findLapsed(tx, await voters.current(tx), given)
  if (lapsed.length > 0 && voters.slack.failure) throw explainNoApprover(actor, approval.groups, voters.slack)
  const lasting = given.filter((one) => !lapsed.includes(one))
  if (lasting.some((one) => one.personId === personId))
    throw problem(
      'already-approved',
      `You have approved this call. It needs ${approval.approvalsNeeded} people; ${lasting.length} approved so far.`,
    )
  await deleteGiven(
    tx,
    id,
    edits,
    lapsed.map((one) => one.personId),
  )
  const { kind, id: actorId, name } = actor
  await insertGiven(tx, id, edits, { personId, by: { kind, id: actorId, name } })
  return { count: lasting.length + 1, lapsed: lapsed.map(({ by }) => by.name) }
}

async function end(
  ctx: DecideContext,
  tx: Db,
  approval: Approval,
  click: Click,
  to: 'approved' | 'denied',
  progress?: Progress,
): Promise<Approval> {
  const { id, kind, name } = click.actor
  const seen = { digest: approval.digest, edition: approval.edits }
  const decided = await moveFromPending(tx, approval.id, to, { id, kind, name }, click.reason, seen)
  if (!decided) throw await explainRefusal(tx, approval.id)
  await record(ctx, tx, decided, click, `approval.${to}`, progress)
  if (to === 'denied') await stopAutomatic(ctx, tx, decided, click)
  await announce({ db: tx, queue: ctx.queue }, [decided])
  return decided
}

async function record(
  ctx: DecideContext,
  tx: Db,
  { id, tool, runId, digest, approvalsNeeded }: Approval,
  { actor, source, via, reason }: Click,
  action: 'approval.given' | 'approval.approved' | 'approval.denied',
  progress?: Progress,
): Promise<void> {
  await ctx.audit(tx, {
    actor,
    action,
    subject: id,
    source,
    detail: {
      tool,
      runId,
      digest,
      via,
      reason,
      ...(progress && approvalsNeeded > 1 ? { approvals: progress.count, needed: approvalsNeeded } : {}),
      ...(progress && progress.lapsed.length > 0 ? { noLongerCount: progress.lapsed } : {}),
    },
  })
}

/** Whoever says no to a call that a policy covers has found something that the policy does not know. */
async function stopAutomatic(
  ctx: DecideContext,
  db: Db,
  { id, policyId }: Approval,
  click: Click,
): Promise<void> {
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

/** Who may approve now. `current` asks again, in a transaction. */
type Voters = { slack: SlackMembers; current(db: Db): Promise<Electorate> }

export async function readVoters(ctx: VoterContext, { groups }: ShownApproval): Promise<Voters> {
  const slack = await readSlackMembers(ctx, groups)
  const { approvals } = await ctx.settings.read()
  return { slack, current: (db) => readElectorate(db, groups, slack, approvals.adminsMayApprove) }
}

/** An admin can always deny. Whoever may approve may edit, too: an edit approves nothing. */
export async function refuseNonApprover(
  ctx: VoterContext,
  approval: ShownApproval,
  actor: Actor,
  wants: 'approve' | 'deny' | 'edit',
  voters: Voters,
): Promise<void> {
  if (wants !== 'approve' && mayActAs(actor, 'admin')) return
  const now = await voters.current(ctx.db)
  if (!isApprover(now, actor)) throw explainNoApprover(actor, approval.groups, voters.slack)
  if (wants !== 'approve') return
  const asker = await findPersonId(ctx.db, approval.requestedBy)
  const person = await findPersonId(ctx.db, actor)
  if (person !== asker && !(await ownsAccount(ctx.db, person, asker))) return
  const others = [...now.users].filter((id) => id !== person).length
  if (mayApproveOwn(approval, approval.capability, others)) return
  const { groups } = approval
  throw problem(
    'not-an-approver',
    `You asked for this call, so somebody else must approve it: ${groups.length > 0 ? `a member of ${nameGroups(groups)}` : 'another admin'}.`,
  )
}

function refuseWrongPlace({ kind, channelId }: Approval, click: Click): void {
  const { actor, via, decision } = click
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
      'A destructive call is decided by a person, not with an API key. Sign in and decide it on its card in the channel.',
    )
  }
  // A denial is safe from anywhere; an approval must be given where everybody sees it.
  if (decision === 'approve' && via !== 'card') {
    throw problem(
      'confirm-in-channel',
      'A destructive call is confirmed on its card in the channel. Open the channel and press “Confirm and send” there.',
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
