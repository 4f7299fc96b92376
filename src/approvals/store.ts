import { type RawBuilder, sql } from 'kysely'
import { maySeePrivate, visibleTo } from '../chat/visible-to.ts'
import { allOf } from '../platform/db/all-of.ts'
import type { Db } from '../platform/db/database.ts'
import { parseExactJson } from '../platform/json/parse-exact-json.ts'
import type { Actor } from '../shared/actor.ts'
import { publishChange } from '../shared/changes.ts'
import { channelName } from '../shared/display-names.ts'
import type { ApprovalId, MessageId, RunId } from '../shared/ids.ts'
import type { Voided } from '../shared/ports/voided.ts'
import {
  type Approval,
  type ApprovalFacts,
  type EarlierCall,
  inOneLine,
  type Person,
  type Question,
  type RenderedRequest,
} from './approval.ts'
import type { ApprovalQuery } from './contract.ts'
import { diffInputs } from './diff-inputs.ts'

type Row = Omit<Approval, 'request'> & { request: string }

const asking = sql`hashtext('approvals.asking')`

/**
 * Keeps edits from voiding approvals until this transaction ends. An edit that came first is waited for, so its changes are visible
 * afterwards; an edit that comes later waits for us and finds the new approval. Requests share the lock.
 */
export async function lockEdits(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${asking})`.execute(tx)
}

/** `decidedBy`: what said yes in advance; null if people are asked. */
export async function insertApproval(
  db: Db,
  id: ApprovalId,
  asked: Question,
  decidedBy: Person | null = null,
): Promise<void> {
  const { tool, requestedBy, policy, approval } = asked
  const { kind, id: personId, name, role } = requestedBy
  const person: Person = { kind, id: personId, name, ...(role ? { role } : {}) }
  await sql`
    insert into approvals (id, kind, status, run_id, call_id, tool, tool_id, connector_id, capability, request, digest,
      tool_version, connector_version, requested_by, channel_id, thread_id, list_key, policy_id, policy_says, policy_amount,
      policy_shadow, approvers, approvals_needed, requester_may_approve, escalate, decided_by, decided_at, expires_at)
    values (${id}, ${asked.kind}, ${decidedBy ? 'approved' : 'pending'}, ${asked.runId}, ${asked.callId}, ${tool.name}, ${tool.toolId},
      ${tool.connectorId}, ${tool.capability}, ${JSON.stringify(asked.request)}, ${asked.digest}, ${tool.toolVersion},
      ${tool.connectorVersion}, ${JSON.stringify(person)}, ${asked.channelId}, ${asked.threadId}, ${asked.listKey},
      ${policy?.id ?? null}, ${policy?.says ?? null}, ${policy?.amount ?? null}, ${policy?.isShadow ?? false},
      ${approval.approvers}, ${approval.approvalsNeeded}, ${approval.requesterMayApprove}, ${JSON.stringify(approval.escalate)},
      ${decidedBy && JSON.stringify(decidedBy)}, ${decidedBy ? sql`now()` : null},
      now() + make_interval(secs => ${asked.expiresInSeconds}))`.execute(db)
  await publishChange(db, 'approvals', id)
}

export async function findApproval(db: Db, id: ApprovalId): Promise<Approval | null> {
  const { rows } = await sql<Row>`select * from approvals where id = ${id}`.execute(db)
  return rows[0] ? toApproval(rows[0]) : null
}

/** With what people are shown beside the question. */
export async function findShownApproval(db: Db, id: ApprovalId): Promise<ShownApproval | null> {
  const { rows } = await sql<Row & FactColumns>`
    select *, ${factColumns} from approvals where id = ${id}`.execute(db)
  return rows[0] ? toShown(rows[0]) : null
}

/** The questions that share a message, in the order in which they were asked. */
export async function listShownApprovals(db: Db, listKey: string): Promise<ShownApproval[]> {
  const { rows } = await sql<Row & FactColumns>`
    select *, ${factColumns} from approvals where list_key = ${listKey} order by id`.execute(db)
  return rows.map(toShown)
}

export type ShownApproval = Approval & ApprovalFacts
type Call = {
  state: string
  status: number | null
  error: string | null
  input: string
  reason: string | null
}
type EarlierRow = Pick<EarlierCall, 'id' | 'status'> & { request: string }
type FactColumns = Pick<ApprovalFacts, 'toolDescription' | 'policyName' | 'groups' | 'given'> & {
  call: Call | null
  earlier: EarlierRow[]
}

/** `one` asked for the same tool in the same thread before `other`. The thread may have begun with its card. */
function isEarlier(one: RawBuilder<unknown>, other: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${one}.thread_id = ${other}.thread_id or ${one}.message_id = ${other}.thread_id)
    and ${one}.tool_id = ${other}.tool_id and ${one}.id < ${other}.id`
}

/** The pending ones whose cards name one of these. */
export async function listNaming(db: Db, ids: readonly ApprovalId[]): Promise<ApprovalId[]> {
  const { rows } = await sql<{ id: ApprovalId }>`
    select distinct later.id from approvals one join approvals later on ${isEarlier(sql`one`, sql`later`)}
    where one.id = any(${ids}) and later.status = 'pending'`.execute(db)
  return rows.map(({ id }) => id)
}

/** The groups that decide now. Those that were deleted count no more. */
const groupIds = sql`approvers || array(
  select step.value ->> 'to' from json_array_elements(escalate) with ordinality as step (value, n) where n <= escalated)`

const factColumns = sql`
  (select coalesce(json_agg(json_build_object('id', g.id, 'name', g.name, 'slackUserGroup', g.slack_user_group)
     order by array_position(${groupIds}, g.id)), '[]') from groups g where g.id = any(${groupIds})) as groups,
  (select coalesce(json_agg(json_build_object('by', v.given_by, 'at', v.given_at) order by v.given_at), '[]')
   from approvals_given v where v.approval_id = approvals.id and v.edition = approvals.edits) as given,
  (select description from tools where id = approvals.tool_id) as tool_description,
  (select name from policies where id = approvals.policy_id) as policy_name,
  (select json_build_object('state', c.state, 'status', c.response_status, 'error', c.error_code,
     'input', c.input, 'reason', c.reason)
   from tool_calls c where c.id = approvals.call_id) as call,
  (select coalesce(json_agg(json_build_object('id', o.id, 'status', o.status, 'request', o.request) order by o.id), '[]')
   from (select o.id, o.status, o.request from approvals o
         where ${isEarlier(sql`o`, sql`approvals`)} and o.status in ('pending', 'approved') order by o.id desc limit 3) o) as earlier`

/** What a reader sees of it in addition. `isInGroup`: the reader is in one of the groups that decide, as far as Slack need not be asked. */
type Named = { channelName: string | null; isInGroup: boolean }
export type ReadApproval = ShownApproval & Named

const columnsFor = (actor: Actor) =>
  sql`*, ${factColumns}, ${channelName(sql`approvals.channel_id`, { seesPrivate: maySeePrivate(actor) })} as channel_name,
    exists (select from group_members m where m.user_id = ${actor.id} and m.group_id = any(${groupIds})) as is_in_group`

/** An approval from a direct conversation is visible to its person, to admins, and to the groups that decide it. */
function isVisible(actor: Actor): RawBuilder<unknown> {
  return sql`(${visibleTo(actor, sql`channel_id`, sql`requested_by ->> 'id'`)} or exists (
    select from group_members m where m.user_id = ${actor.id} and m.group_id = any(${groupIds})))`
}

export async function findVisibleApproval(
  db: Db,
  actor: Actor,
  id: ApprovalId,
): Promise<ReadApproval | null> {
  const { rows } = await sql<Row & FactColumns & Named>`
    select ${columnsFor(actor)} from approvals
    where id = ${id} and ${isVisible(actor)}`.execute(db)
  return rows[0] ? toRead(rows[0]) : null
}

export async function listApprovals(db: Db, actor: Actor, of: ApprovalQuery): Promise<ReadApproval[]> {
  const isOldestFirst = of.order === 'oldest'
  const conditions = [
    isVisible(actor),
    of.status && (of.status === 'decided' ? sql`status <> 'pending'` : sql`status = ${of.status}`),
    (of.webhookId ?? of.scheduleId) &&
      sql`run_id in (select id from runs where source_id = ${of.webhookId ?? of.scheduleId})`,
    of.runId && sql`run_id = ${of.runId}`,
    of.channelId && sql`channel_id = ${of.channelId}`,
    of.cursor && (isOldestFirst ? sql`id > ${of.cursor}` : sql`id < ${of.cursor}`),
  ]
  const { rows } = await sql<Row & FactColumns & Named>`
    select ${columnsFor(actor)} from approvals where ${allOf(conditions)}
    order by id ${isOldestFirst ? sql`asc` : sql`desc`} limit ${of.limit + 1}`.execute(db)
  return rows.map(toRead)
}

/** What is needed to announce that an approval is no longer pending. */
type Moved = Pick<Approval, 'id' | 'runId'>

export async function expirePending(db: Db): Promise<Moved[]> {
  const { rows } = await sql<Moved>`
    update approvals set status = 'expired', decided_at = now()
    where id in (select id from approvals where status = 'pending' and expires_at <= now() limit 100 for update skip locked)
    returning id, run_id`.execute(db)
  if (rows.length > 0) await publishChange(db, 'approvals')
  return rows
}

/** Each pending approval gets one reminder, when half of its time has passed. */
export async function claimReminders(db: Db): Promise<ApprovalId[]> {
  const { rows } = await sql<{ id: ApprovalId }>`
    update approvals set reminded_at = now()
    where id in (
      select id from approvals
      where status = 'pending' and reminded_at is null and created_at + (expires_at - created_at) / 2 <= now()
      limit 100 for update skip locked)
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Each step of each pending approval is taken once, whichever replica gets there first. `step` counts from 1. */
export async function claimEscalations(db: Db): Promise<{ approvalId: ApprovalId; step: number }[]> {
  const { rows } = await sql<{ approvalId: ApprovalId; step: number }>`
    update approvals set escalated = escalated + 1
    where id in (
      select id from approvals
      where status = 'pending' and expires_at > now()
        and created_at + make_interval(mins => (escalate -> escalated ->> 'afterMinutes')::int) <= now()
      limit 100 for update skip locked)
    returning id as approval_id, escalated as step`.execute(db)
  if (rows.length > 0) await publishChange(db, 'approvals')
  return rows
}

export async function voidPending(db: Db, of: Voided): Promise<Moved[]> {
  // Requests lock their run, so ending a run needs no further lock.
  if (!('runIds' in of)) await sql`select pg_advisory_xact_lock(${asking})`.execute(db)
  // In a fixed order, so that the end of a run and an edit do not deadlock.
  const { rows } = await sql<Moved>`
    update approvals set status = 'void', decided_at = now() where id in (
      select id from approvals where status = 'pending' and ${condition(of)} order by id for update)
    returning id, run_id`.execute(db)
  if (rows.length > 0) await publishChange(db, 'approvals')
  return rows
}

function condition(of: Voided): RawBuilder<unknown> {
  if ('runIds' in of) return sql`run_id = any(${of.runIds})`
  if ('connectorId' in of) return sql`connector_id = ${of.connectorId}`
  if ('requesterId' in of)
    return sql`requested_by ->> 'id' = ${of.requesterId} and ${of.role !== 'admin'}::boolean
      and (kind = 'confirm' or ${of.role === null}::boolean)`
  if ('gone' in of) return sql`channel_id in (select id from channels where ${of.gone} in (id, workspace_id))`
  // A webhook with its own list does not use its channel's. Replays and calls over MCP use neither.
  if ('channelId' in of)
    return sql`connector_id <> all (${of.list}::text[]) and exists (
      select from runs r left join event_sources w on w.id = coalesce(r.source_id, r.thread_source_id)
      where r.id = run_id and r.trigger not in ('replay', 'mcp') and w.connector_ids is null
        and coalesce(w.channel_id, r.channel_id) = ${of.channelId})`
  const { ceiling = null, connectorIds = null } = of.scope ?? {}
  const level = (capability: RawBuilder<unknown>) =>
    sql`array_position('{read,write,destructive}'::text[], ${capability})`
  const isBeyond = sql`(${level(sql`capability`)} > ${level(sql`${ceiling}`)} or connector_id <> all (${connectorIds}::text[]))`
  // Requests of people in its threads are their own: they end with its rights, but not with the webhook or schedule.
  return sql`(requested_by ->> 'id' = ${of.sourceId} and (${ceiling}::text is null or ${isBeyond})
    or ${isBeyond} and exists (select from runs where id = run_id and thread_source_id = ${of.sourceId}))`
}

const erased: RenderedRequest = { method: '', url: '(erased)', headers: {}, body: null }

export async function wipeApprovals(tx: Db, runIds: readonly RunId[]): Promise<ApprovalId[]> {
  const { rows } = await sql<{ id: ApprovalId }>`
    update approvals set request = ${JSON.stringify(erased)}, reason = null, edited_input = null where run_id = any(${runIds})
    returning id`.execute(tx)
  if (rows.length > 0) await publishChange(tx, 'approvals')
  return rows.map(({ id }) => id)
}

export async function deleteApprovals(tx: Db, runIds: readonly RunId[]): Promise<void> {
  await sql`delete from approvals where run_id = any(${runIds})`.execute(tx)
}

export async function saveCard(db: Db, id: ApprovalId, messageId: MessageId): Promise<void> {
  await sql`update approvals set message_id = ${messageId} where id = ${id}`.execute(db)
}

function toRead(row: Row & FactColumns & Named): ReadApproval {
  return { ...toShown(row), channelName: row.channelName, isInGroup: row.isInGroup }
}

function toShown({ call, earlier, ...row }: Row & FactColumns): ShownApproval {
  const approval = {
    ...toApproval(row),
    toolDescription: row.toolDescription,
    // JSON that the gate wrote.
    input: call ? parseExactJson(row.editedInput ?? call.input) : null,
    changes:
      call && row.editedInput !== null
        ? diffInputs(parseExactJson(call.input), parseExactJson(row.editedInput))
        : null,
    askedBecause: call?.reason ?? null,
    policyName: row.policyName,
    groups: row.groups,
    given: row.given.map(({ by, at }) => ({ by, at: new Date(at).toISOString() })),
    // We wrote these texts ourselves, with exactly this shape.
    earlier: earlier.map((one) => ({
      ...one,
      request: inOneLine(JSON.parse(one.request) as RenderedRequest),
    })),
  }
  return { ...approval, outcome: approval.status === 'approved' && call ? describeCall(call) : null }
}

function describeCall({ state, status, error }: Call): string | null {
  if (state === 'refused') return '→ not sent'
  if (state === 'unknown' || error === 'outcome_unknown') return '→ outcome unknown'
  if (state !== 'answered') return null
  if (error === 'tool_error') return '→ the tool reports a failure'
  if (error !== null) return `→ no answer (${error})`
  return status === null ? '→ answered' : `→ ${status}`
}

function toApproval(row: Row): Approval {
  // We wrote the text ourselves, with exactly this shape.
  return { ...row, request: JSON.parse(row.request) as RenderedRequest }
}
