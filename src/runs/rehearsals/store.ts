import { sql } from 'kysely'
import type { OwnModel } from '../../events/inbox/find-trigger.ts'
import type { Rule } from '../../events/rules/contract.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import { publishChange } from '../../shared/changes.ts'
import type { ConnectorId, EventId, RehearsalId, RunId, SourceId, WebhookId } from '../../shared/ids.ts'
import type { Check, JudgedCheck } from './cases/contract.ts'
import type { Change, Outcome } from './contract.ts'
import type { Spending } from './decide-budget.ts'

export type NewRow = {
  id: RehearsalId
  sourceId: SourceId
  sourceName: string
  change: Change
  reads: 'recorded' | 'live'
  budget: number
  createdBy: Pick<Actor, 'kind' | 'id' | 'name'>
  isDrill: boolean
}

export type ChosenEvent = {
  id: EventId
  beforeRunId: RunId | null
  /** Of the case that the event is, if it is one. */
  checks: Check[] | null
  /** The name of the order that a drill has hidden in it. */
  injection?: string | null
}

/** What really became of an event (as `e`): the run that succeeded last, else the one that ended last. */
const runBefore = sql`(
  select r.id from runs r
  where r.event_id = e.id and not r.dry and r.ended_at is not null and r.erased_at is null
  order by r.status = 'succeeded' desc, r.id desc limit 1)`

export type Choice =
  | { last: number; since?: Date | undefined; until?: Date | undefined }
  | { ids: readonly EventId[] }
  | { cases: true }

const mostCases = 500

/** The newest first. Of the last ones only those that started a run or, if the rules are to be tried, were handled by a rule; no tests. */
export async function chooseEvents(
  db: Db,
  sourceId: SourceId,
  choice: Choice,
  withRuled: boolean,
): Promise<ChosenEvent[]> {
  const states = withRuled ? ['done', 'failed', 'skipped', 'notified'] : ['done', 'failed']
  const which =
    'ids' in choice
      ? sql`e.id = any(${choice.ids})`
      : 'cases' in choice
        ? sql`c.id is not null`
        : sql`e.status = any(${states}) and e.trigger <> 'test' and e.body is not null
            and e.received_at >= coalesce(${choice.since ?? null}::timestamptz, '-infinity')
            and e.received_at < coalesce(${choice.until ?? null}::timestamptz, 'infinity')`
  const { rows } = await sql<ChosenEvent>`
    select e.id, ${runBefore} as before_run_id, c.checks from events e left join cases c on c.event_id = e.id
    where e.source_id = ${sourceId} and e.erased_at is null and ${which}
    order by e.id desc limit ${limitOf(choice)}`.execute(db)
  return rows
}

function limitOf(choice: Choice): number {
  if ('ids' in choice) return choice.ids.length
  return 'cases' in choice ? mostCases : choice.last
}

type EventBody = { id: EventId; body: Buffer; headers: Record<string, string>; receivedAt: Date }

export async function listBodies(db: Db, ids: readonly EventId[]): Promise<EventBody[]> {
  const { rows } = await sql<EventBody>`
    select id, coalesce(payload, body) as body, headers, received_at from events
    where id = any(${ids}) and body is not null`.execute(db)
  return rows
}

export type SavedSource = { name: string; prompt: string; channelConnectorIds: ConnectorId[] | null }

/** What the runs of this source start from; null once it is deleted. */
export async function findSource(db: Db, id: SourceId): Promise<SavedSource | null> {
  const { rows } = await sql<SavedSource>`
    select w.name, w.prompt, c.connector_ids as channel_connector_ids
    from event_sources w left join channels c on c.id = w.channel_id
    where w.id = ${id} and w.state <> 'deleted'`.execute(db)
  return rows[0] ?? null
}

type DrillSource = {
  name: string
  model: OwnModel | null
  connectorIds: ConnectorId[] | null
  rules: Rule[] | null
  /** The latest event that a sender sent; null body if there is none. */
  headers: Record<string, string>
  body: string | null
}

/** A webhook as it is saved, with what its sender last sent. Null if there is no such webhook. */
export async function findDrillSource(db: Db, id: WebhookId): Promise<DrillSource | null> {
  const { rows } = await sql<Omit<DrillSource, 'body'> & { body: Buffer | null }>`
    select w.name, w.model, coalesce(w.connector_ids, c.connector_ids) as connector_ids, w.rules,
      coalesce(e.headers, '{}') as headers, coalesce(e.payload, e.body) as body
    from webhooks w left join channels c on c.id = w.channel_id left join lateral (
      select headers, payload, body from events
      where source_id = w.id and trigger <> 'test' and body is not null and erased_at is null order by id desc limit 1) e on true
    where w.id = ${id} and w.state <> 'deleted'`.execute(db)
  const [row] = rows
  return row ? { ...row, body: row.body?.toString() ?? null } : null
}

export async function insertRehearsal(tx: Db, row: NewRow, events: readonly ChosenEvent[]): Promise<void> {
  await sql`
    insert into rehearsals (id, source_id, source_name, change, reads, budget, status, created_by, is_drill)
    values (${row.id}, ${row.sourceId}, ${row.sourceName}, ${JSON.stringify(row.change)}, ${row.reads}, ${row.budget},
      'queued', ${JSON.stringify(row.createdBy)}, ${row.isDrill})`.execute(tx)
  await sql`
    insert into rehearsed_events (rehearsal_id, position, event_id, before_run_id, injection, checks)
    select ${row.id}, place - 1, event_id, before_run_id, injection, checks
    from unnest(${events.map(({ id }) => id)}::text[], ${events.map(({ beforeRunId }) => beforeRunId)}::text[],
        ${events.map(({ injection = null }) => injection)}::text[], ${events.map(({ checks }) => checks && JSON.stringify(checks))}::json[])
      with ordinality as chosen (event_id, before_run_id, injection, checks, place)`.execute(tx)
  await publishChange(tx, 'rehearsals', row.id)
}

export type Pending = {
  id: RehearsalId
  sourceId: SourceId
  change: Change
  reads: 'recorded' | 'live'
  beforeRunId: RunId | null
  runId: RunId | null
  checks: Check[] | null
}

const isActive = sql`h.status in ('queued', 'running')`

/** An event whose turn has come or that is under way; null if it was compared, or the rehearsal is over. */
export async function findPending(db: Db, id: RehearsalId, eventId: EventId): Promise<Pending | null> {
  const { rows } = await sql<Pending>`
    select h.id, h.source_id, h.change, h.reads, o.before_run_id, o.run_id, o.checks
    from rehearsals h join rehearsed_events o on o.rehearsal_id = h.id
    where h.id = ${id} and o.event_id = ${eventId} and o.outcome is null and ${isActive}`.execute(db)
  return rows[0] ?? null
}

/** Locked until the transaction ends, so that no two events are begun with the same money. Null if the rehearsal is over. */
export async function lockSpending(tx: Db, id: RehearsalId): Promise<Spending | null> {
  const { rows: locked } = await sql<{ budget: number }>`
    select budget from rehearsals h where id = ${id} and ${isActive} for update`.execute(tx)
  if (!locked[0]) return null
  const { rows } = await sql<{ ended: number; spent: number; underWay: number[] }>`
    select count(*) filter (where r.ended_at is not null)::int as ended,
      coalesce(sum(cost) filter (where r.ended_at is not null), 0) as spent,
      coalesce(array_agg(cost) filter (where r.ended_at is null), '{}') as under_way
    from runs r where rehearsal_id = ${id}`.execute(tx)
  return { budget: locked[0].budget, ended: 0, spent: 0, underWay: [], ...rows[0] }
}

/** False if somebody has begun it already. */
export async function beginEvent(tx: Db, id: RehearsalId, eventId: EventId, runId: RunId): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update rehearsed_events set run_id = ${runId}
    where rehearsal_id = ${id} and event_id = ${eventId} and run_id is null and outcome is null`.execute(tx)
  await sql`
    update rehearsals set status = 'running', started_at = coalesce(started_at, now())
    where id = ${id} and status in ('queued', 'running')`.execute(tx)
  return numAffectedRows === 1n
}

type Settled = { outcome: Outcome; ruled?: 'skipped' | 'notified'; checks: JudgedCheck[] | null }

/** The last event ends the rehearsal. */
export async function settleEvent(
  db: Db,
  id: RehearsalId,
  eventId: EventId,
  { outcome, ruled, checks }: Settled,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // One after the other: each sees which events are left.
    await sql`select from rehearsals where id = ${id} for update`.execute(tx)
    await sql`
      update rehearsed_events set outcome = ${outcome}, ruled = ${ruled ?? null},
        checks = case when checks is not null then ${checks && JSON.stringify(checks)}::json end
      where rehearsal_id = ${id} and event_id = ${eventId} and outcome is null`.execute(tx)
    await sql`
      update rehearsals set status = 'done', started_at = coalesce(started_at, now()), ended_at = now()
      where id = ${id} and status in ('queued', 'running')
        and not exists (select from rehearsed_events where rehearsal_id = ${id} and outcome is null)`.execute(
      tx,
    )
    await publishChange(tx, 'rehearsals', id)
  })
}

/** False if it was over. */
export async function endRehearsal(
  tx: Db,
  id: RehearsalId,
  status: 'done' | 'cancelled' | 'failed',
  problem: string | null,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update rehearsals set status = ${status}, problem = ${problem}, ended_at = now()
    where id = ${id} and status in ('queued', 'running')`.execute(tx)
  await publishChange(tx, 'rehearsals', id)
  return numAffectedRows === 1n
}

/** Runs of a rehearsal that are not over. */
export async function listUnderWay(db: Db, id: RehearsalId): Promise<RunId[]> {
  const { rows } = await sql<{ id: RunId }>`
    select id from runs where rehearsal_id = ${id} and ended_at is null order by id`.execute(db)
  return rows.map((row) => row.id)
}

/** Whether the run is over and, if it waits for its model, for how long. */
export async function findProgress(
  db: Db,
  runId: RunId,
): Promise<{ isOver: boolean; resumesInMs: number | null } | null> {
  const { rows } = await sql<{ isOver: boolean; resumesInMs: number | null }>`
    select ended_at is not null as is_over, (extract(epoch from resume_at - now()) * 1000)::float8 as resumes_in_ms
    from runs where id = ${runId}`.execute(db)
  return rows[0] ?? null
}

/** Events without a job that would go on with them: not begun, interrupted, or over and not compared. */
export async function listForgotten(
  db: Db,
  limit: number,
): Promise<{ rehearsalId: RehearsalId; eventId: EventId }[]> {
  const { rows } = await sql<{ rehearsalId: RehearsalId; eventId: EventId }>`
    select h.id as rehearsal_id, o.event_id from rehearsals h cross join lateral (
      select p.event_id from rehearsed_events p left join runs r on r.id = p.run_id
      where p.rehearsal_id = h.id and p.outcome is null
        and coalesce(r.lease_until, '-infinity') < now() and coalesce(r.resume_at, '-infinity') < now()
      order by p.position limit ${limit}
    ) o where ${isActive} and h.created_at < now() - interval '2 seconds'`.execute(db)
  return rows
}

export async function deleteRehearsals(db: Db, before: Date): Promise<void> {
  await sql`delete from rehearsals where ended_at < ${before}`.execute(db)
}
