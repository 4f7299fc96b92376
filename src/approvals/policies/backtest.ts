import { sql } from 'kysely'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import type { Db } from '../../platform/db/database.ts'
import type { ApprovalId, ChannelId, WebhookId } from '../../shared/ids.ts'
import type { BacktestShape, PolicyInput } from './contract.ts'
import { matchPolicies } from './match-policies.ts'
import type { Policy } from './policy.ts'
import type { BoundTool } from './store.ts'

/** More decisions of one tool are not read. */
const mostExamined = 2_000
const mostDifferent = 20

export type PastDecision = {
  id: ApprovalId
  status: 'approved' | 'denied'
  createdAt: Date
  requestedBy: { kind: string; id: string; name: string; role?: string }
  channelId: ChannelId
  /** JSON, as the model wrote it. */
  input: string
}

/** What people decided about a tool, the newest first. */
export async function listPastDecisions(db: Db, toolId: string, days: number): Promise<PastDecision[]> {
  const { rows } = await sql<PastDecision>`
    select a.id, a.status, a.created_at, a.requested_by, a.channel_id, coalesce(a.edited_input, c.input) as input
    from approvals a join tool_calls c on c.id = a.call_id left join runs r on r.id = a.run_id
    where a.tool_id = ${toolId} and a.created_at > now() - make_interval(days => ${days}) and r.erased_at is null
      and a.status in ('approved', 'denied') and a.decided_by ->> 'kind' <> 'policy'
    order by a.id desc limit ${mostExamined + 1}`.execute(db)
  return rows
}

/** What the policy would have done with the decisions that people made. Nothing is guessed: each was recorded with its input. */
export async function backtest(
  ctx: { db: Db; conditions: Conditions },
  input: Omit<PolicyInput, 'name'>,
  tool: BoundTool,
  days: number,
): Promise<BacktestShape> {
  const past = await listPastDecisions(ctx.db, tool.toolId, days)
  const examined = past.slice(0, mostExamined).reverse()
  const policy = toPolicy(input, tool)
  const covered: { decision: PastDecision; amount: number | null }[] = []
  const faults: string[] = []
  for (const decision of examined) {
    const { active, fault } = await matchPolicies(
      { conditions: ctx.conditions, now: () => decision.createdAt },
      [policy],
      {
        tool: { ...tool, name: input.tool, connectorName: input.tool.split('__')[0] ?? '' },
        input: JSON.parse(decision.input),
        requester: decision.requestedBy,
        webhookId: webhookOf(decision),
        channelId: decision.channelId,
      },
    )
    if (fault !== null) faults.push(fault)
    if (active) covered.push({ decision, amount: active.amount === null ? null : Number(active.amount) })
  }
  const amounts = covered.flatMap(({ amount }) => amount ?? [])
  const wanted = input.then === 'deny' ? 'denied' : 'approved'
  const different = covered.filter(({ decision }) => decision.status !== wanted).reverse()
  return {
    examined: examined.length,
    covered: covered.length,
    approved: covered.filter(({ decision }) => decision.status === 'approved').length,
    denied: covered.filter(({ decision }) => decision.status === 'denied').length,
    beyondCap: countBeyondCap(covered, input.cap ?? null),
    notEvaluated: faults.length,
    firstFault: faults[0] ?? null,
    largest: amounts.length === 0 ? null : Math.max(...amounts),
    sum: amounts.length === 0 ? null : addUp(amounts),
    perDay: perDay(covered),
    different: different
      .slice(0, mostDifferent)
      .map(({ decision }) => ({ approvalId: decision.id, decision: decision.status })),
    more: past.length > mostExamined,
  }
}

function webhookOf({ requestedBy }: PastDecision): WebhookId | null {
  // The id of a webhook, where the requester is one.
  return requestedBy.kind === 'webhook' ? (requestedBy.id as WebhookId) : null
}

/** The cap, counted back from each call as at the gate. */
function countBeyondCap(
  covered: readonly { decision: PastDecision; amount: number | null }[],
  cap: Policy['cap'],
): number {
  if (!cap) return 0
  const windowMs = cap.per === 'hour' ? 3_600_000 : 86_400_000
  const allowed: { at: number; amount: number }[] = []
  let beyond = 0
  for (const { decision, amount } of covered) {
    const at = decision.createdAt.getTime()
    while (allowed[0] && allowed[0].at <= at - windowMs) allowed.shift()
    const sum = addUp([...allowed.map((one) => one.amount), amount ?? 0])
    if (allowed.length >= cap.calls || (cap.sum && sum > cap.sum.max)) beyond++
    else allowed.push({ at, amount: amount ?? 0 })
  }
  return beyond
}

function perDay(
  covered: readonly { decision: PastDecision; amount: number | null }[],
): BacktestShape['perDay'] {
  const days = Map.groupBy(covered, ({ decision }) => decision.createdAt.toISOString().slice(0, 10))
  return [...days].map(([day, calls]) => {
    const amounts = calls.flatMap(({ amount }) => amount ?? [])
    return { day, calls: calls.length, sum: amounts.length === 0 ? null : addUp(amounts) }
  })
}

/** Money has few decimals: without the rounding, 0.1 + 0.2 would show as 0.30000000000000004. */
function addUp(amounts: readonly number[]): number {
  return Number(amounts.reduce((sum, amount) => sum + amount, 0).toFixed(6))
}

export function toPolicy(input: Omit<PolicyInput, 'name'>, tool: BoundTool): Policy {
  const { requesters = null, webhookIds = null, channelIds = null } = input.for ?? {}
  return {
    id: 'pol_new',
    name: 'New policy',
    tool: input.tool,
    toolId: tool.toolId,
    toolVersion: tool.toolVersion,
    connectorVersion: tool.connectorVersion,
    when: input.when,
    then: input.then,
    // Checked: each is the id of a webhook or channel.
    for: {
      requesters,
      webhookIds: webhookIds as WebhookId[] | null,
      channelIds: channelIds as ChannelId[] | null,
    },
    cap: input.cap ?? null,
    // Who would have been asked makes no difference to what it covers.
    approval: { approvers: null, approvalsNeeded: null, requesterMayApprove: null, escalate: null },
    state: 'active',
  }
}
