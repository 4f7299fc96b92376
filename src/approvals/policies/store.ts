import { type RawBuilder, sql } from 'kysely'
import { readPlace } from '../../http/paging.ts'
import type { Db } from '../../platform/db/database.ts'
import { publishChange } from '../../shared/changes.ts'
import type { ChannelId, PolicyId, WebhookId } from '../../shared/ids.ts'
import type { PolicyInput, PolicyShape, RequesterKind } from './contract.ts'
import type { OwnApprovers, Policy, PolicyMatch } from './policy.ts'

type Row = {
  id: PolicyId
  position: number
  name: string
  tool: string
  toolId: string
  toolVersion: number
  connectorVersion: number
  condition: string
  decision: PolicyShape['then']
  requesters: RequesterKind[] | null
  webhookIds: WebhookId[] | null
  channelIds: ChannelId[] | null
  capCalls: number | null
  capPer: 'hour' | 'day' | null
  capSumOf: string | null
  /** PostgreSQL's exact number, as text. */
  capSumMax: string | null
  approvers: OwnApprovers['approvers']
  approvalsNeeded: number | null
  requesterMayApprove: boolean | null
  escalate: OwnApprovers['escalate']
  until: Date | null
  state: 'active' | 'shadow' | 'paused'
  pausedReason: string | null
  createdBy: { kind: string; id: string; name: string }
  createdAt: Date
  updatedAt: Date
}

/** Waits for other changes of the order, so that each policy has a place of its own, and for others that write many policies. */
export async function lockOrder(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('policies.order'))`.execute(tx)
}

/** Those about a tool that may decide or watch now, the first to be asked first. */
export async function listInForce(db: Db, toolId: string): Promise<Policy[]> {
  const { rows } = await sql<Row>`
    select * from policies where tool_id = ${toolId} and state <> 'paused' and (until is null or until > now())
    order by position, id`.execute(db)
  return rows.map((row) => ({ ...toPolicy(row), state: row.state === 'shadow' ? 'shadow' : 'active' }))
}

type Figures = {
  current: boolean
  expired: boolean
  allowed: number
  sum: string | null
  asked: number
  same: number
  different: number
}

type Filter = { id?: PolicyId; tool?: string; q?: string; cursor?: string; limit?: number }

/** In their order, with what each did in the last day. */
export async function listPolicies(db: Db, of: Filter): Promise<PolicyShape[]> {
  const { rows } = await sql<Row & Figures>`
    select p.*, coalesce(p.until <= now(), false) as expired,
      exists (select from tools t join connectors o on o.id = t.connector_id
        where t.id = p.tool_id and t.version = p.tool_version and o.version = p.connector_version) as current,
      f.*
    from policies p cross join lateral (
      select count(*) filter (where a.decided_by ->> 'kind' = 'policy' and a.decided_at > now() - interval '1 day')::int as allowed,
        sum(a.policy_amount) filter (where a.decided_by ->> 'kind' = 'policy' and a.decided_at > now() - interval '1 day')::text as sum,
        count(*) filter (where a.decided_by ->> 'kind' is distinct from 'policy' and a.created_at > now() - interval '1 day')::int as asked,
        count(*) filter (where a.policy_shadow and (a.status = 'approved') = (a.policy_says = 'auto') and a.status in ('approved', 'denied'))::int as same,
        count(*) filter (where a.policy_shadow and (a.status = 'approved') <> (a.policy_says = 'auto') and a.status in ('approved', 'denied')
          and a.policy_says in ('auto', 'deny'))::int as different
      from approvals a where a.policy_id = p.id
    ) f
    where ${of.id === undefined ? sql`true` : sql`p.id = ${of.id}`}
      and ${of.tool === undefined ? sql`true` : sql`p.tool = ${of.tool}`}
      and ${of.q ? sql`position(lower(${of.q}) in lower(p.name || ' ' || p.tool)) > 0` : sql`true`}
      and ${of.cursor === undefined ? sql`true` : isAfter(of.cursor)}
    order by p.position, p.id limit ${of.limit ?? null}`.execute(db)
  return rows.map(toShape)
}

/** Where the policy is by now, or was before it was deleted. */
function isAfter(cursor: string): RawBuilder<unknown> {
  const last = readPlace(cursor)
  if (!last) return sql`false`
  const { id, place } = last
  return sql`(p.position, p.id) > (coalesce((select position from policies where id = ${id}), ${place}::float8), ${id})`
}

/** Null if there is none. Locked until the transaction ends. */
export async function lockPolicy(
  tx: Db,
  id: PolicyId,
): Promise<{ input: PolicyInput; tool: BoundTool } | null> {
  const { rows } = await sql<Row>`select * from policies where id = ${id} for update`.execute(tx)
  const [row] = rows
  if (!row) return null
  return {
    tool: { toolId: row.toolId, toolVersion: row.toolVersion, connectorVersion: row.connectorVersion },
    input: toInput(row),
  }
}

export type BoundTool = { toolId: string; toolVersion: number; connectorVersion: number }

type Saved = { id: PolicyId; input: PolicyInput; tool: BoundTool }

export async function insertPolicy(
  tx: Db,
  { id, input, tool }: Saved,
  createdBy: { kind: string; id: string; name: string },
): Promise<void> {
  await sql`
    insert into policies (id, position, name, tool, tool_id, tool_version, connector_version, condition, decision, requesters,
      webhook_ids, channel_ids, cap_calls, cap_per, cap_sum_of, cap_sum_max, until, approvers, approvals_needed,
      requester_may_approve, escalate, state, created_by)
    values (${id}, (select coalesce(max(position), 0) + 1 from policies), ${input.name}, ${input.tool}, ${tool.toolId},
      ${tool.toolVersion}, ${tool.connectorVersion}, ${input.when}, ${input.then}, ${input.for?.requesters ?? null},
      ${input.for?.webhookIds ?? null}, ${input.for?.channelIds ?? null}, ${input.cap?.calls ?? null}, ${input.cap?.per ?? null},
      ${input.cap?.sum?.of ?? null}, ${input.cap?.sum?.max ?? null}, ${input.until ?? null},
      ${input.approvers ?? null}, ${input.approvalsNeeded ?? null}, ${input.requesterMayApprove ?? null},
      ${input.escalate ? JSON.stringify(input.escalate) : null}, ${input.state}, ${JSON.stringify(createdBy)})`.execute(
    tx,
  )
  await publishChange(tx, 'policies', id)
}

/** Binds it to the tool as it is now. */
export async function updatePolicy(tx: Db, { id, input, tool }: Saved): Promise<void> {
  await sql`
    update policies set name = ${input.name}, tool = ${input.tool}, tool_id = ${tool.toolId}, tool_version = ${tool.toolVersion},
      connector_version = ${tool.connectorVersion}, condition = ${input.when}, decision = ${input.then},
      requesters = ${input.for?.requesters ?? null}, webhook_ids = ${input.for?.webhookIds ?? null},
      channel_ids = ${input.for?.channelIds ?? null}, cap_calls = ${input.cap?.calls ?? null},
      cap_per = ${input.cap?.per ?? null}, cap_sum_of = ${input.cap?.sum?.of ?? null}, cap_sum_max = ${input.cap?.sum?.max ?? null},
      until = ${input.until ?? null}, approvers = ${input.approvers ?? null}, approvals_needed = ${input.approvalsNeeded ?? null},
      requester_may_approve = ${input.requesterMayApprove ?? null},
      escalate = ${input.escalate ? JSON.stringify(input.escalate) : null}, state = ${input.state}, paused_reason = null, updated_at = now()
    where id = ${id}`.execute(tx)
  await publishChange(tx, 'policies', id)
}

/** Moves it to this place among the others, counted from 1. */
export async function movePolicy(tx: Db, id: PolicyId, to: number): Promise<void> {
  const { rows } = await sql<{ id: PolicyId }>`
    select id from policies where id <> ${id} order by position, id`.execute(tx)
  const order = rows.map((row) => row.id)
  order.splice(to - 1, 0, id)
  await sql`
    update policies p set position = o.place
    from unnest(${order}::text[]) with ordinality as o (id, place) where p.id = o.id`.execute(tx)
  await publishChange(tx, 'policies')
}

export async function deletePolicy(tx: Db, id: PolicyId): Promise<boolean> {
  const { rows } = await sql`delete from policies where id = ${id} returning id`.execute(tx)
  await publishChange(tx, 'policies', id)
  return rows.length > 0
}

/** An automatic yes is over once a person said no to a call that it covers. False if it does not say yes, or is not in force. */
export async function pauseAutomatic(tx: Db, id: PolicyId, reason: string): Promise<{ name: string } | null> {
  const { rows } = await sql<{ name: string }>`
    update policies set state = 'paused', paused_reason = ${reason}, updated_at = now()
    where id = ${id} and decision = 'auto' and state = 'active' returning name`.execute(tx)
  if (rows.length > 0) await publishChange(tx, 'policies', id)
  return rows[0] ?? null
}

/** Those whose tool or connector is no longer the one that they were saved for. */
export async function pauseOutdated(tx: Db): Promise<{ id: PolicyId; tool: string }[]> {
  // A move writes the same rows in another order: without this, the two would deadlock.
  await lockOrder(tx)
  const { rows } = await sql<{ id: PolicyId; tool: string }>`
    update policies p set state = 'paused', paused_reason = ${edited}, updated_at = now()
    where p.state <> 'paused' and not exists (
      select from tools t join connectors o on o.id = t.connector_id
      where t.id = p.tool_id and t.version = p.tool_version and o.version = p.connector_version)
    returning p.id, p.tool`.execute(tx)
  for (const { id } of rows) await publishChange(tx, 'policies', id)
  return rows
}

/**
 * Whether the cap leaves room for one more call. The policy is locked until the transaction ends, so that two calls, in this process
 * or another, cannot both take the last place. False also if the policy was changed, paused or deleted since it matched.
 */
export async function takePlace(tx: Db, { policy, amount }: PolicyMatch): Promise<boolean> {
  const { rows } = await sql<Row>`
    select * from policies where id = ${policy.id} and state = 'active' and (until is null or until > now()) for update`.execute(
    tx,
  )
  const [row] = rows
  const { cap } = policy
  if (!row || !cap || !isSamePolicy(toPolicy(row), policy)) return false
  const window = cap.per === 'hour' ? sql`interval '1 hour'` : sql`interval '1 day'`
  const { rows: used } = await sql<{ fits: boolean }>`
    select count(*) < ${cap.calls} and coalesce(sum(policy_amount), 0) + ${amount ?? '0'}::numeric <= ${cap.sum?.max ?? null}::numeric
      is not false as fits
    from approvals where policy_id = ${policy.id} and decided_by ->> 'kind' = 'policy' and decided_at > now() - ${window}`.execute(
    tx,
  )
  return used[0]?.fits === true
}

function isSamePolicy(one: Omit<Policy, 'state'>, other: Policy): boolean {
  const { state: _, ...rest } = other
  return JSON.stringify(one) === JSON.stringify(rest)
}

function toPolicy(row: Row): Omit<Policy, 'state'> {
  return {
    id: row.id,
    name: row.name,
    tool: row.tool,
    toolId: row.toolId,
    toolVersion: row.toolVersion,
    connectorVersion: row.connectorVersion,
    when: row.condition,
    then: row.decision,
    for: { requesters: row.requesters, webhookIds: row.webhookIds, channelIds: row.channelIds },
    cap: capOf(row),
    approval: {
      approvers: row.approvers,
      approvalsNeeded: row.approvalsNeeded,
      requesterMayApprove: row.requesterMayApprove,
      escalate: row.escalate,
    },
  }
}

function capOf({ capCalls, capPer, capSumOf, capSumMax }: Row): PolicyShape['cap'] {
  if (capCalls === null || capPer === null) return null
  const sum = capSumOf === null || capSumMax === null ? {} : { sum: { of: capSumOf, max: Number(capSumMax) } }
  return { calls: capCalls, per: capPer, ...sum }
}

function given(scope: Policy['for']): PolicyShape['for'] {
  const { requesters, webhookIds, channelIds } = scope
  if (!requesters && !webhookIds && !channelIds) return null
  return {
    ...(requesters && { requesters }),
    ...(webhookIds && { webhookIds }),
    ...(channelIds && { channelIds }),
  }
}

const edited = 'The tool or its connector was edited since. Check the policy and activate it again.'

function toInput(row: Row) {
  const { name, tool, when, then, for: scope, cap, approval } = toPolicy(row)
  const until = row.until?.toISOString() ?? null
  return { name, tool, when, then, for: given(scope), cap, until, ...approval, state: row.state }
}

function toShape(row: Row & Figures): PolicyShape {
  const isStale = row.state !== 'paused' && !row.current
  return {
    ...toInput(row),
    id: row.id,
    position: row.position,
    state: isStale ? 'paused' : row.state !== 'paused' && row.expired ? 'expired' : row.state,
    pausedReason: isStale ? edited : row.pausedReason,
    today: { allowed: row.allowed, sum: row.sum === null ? null : Number(row.sum), asked: row.asked },
    shadow: { same: row.same, different: row.different },
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
