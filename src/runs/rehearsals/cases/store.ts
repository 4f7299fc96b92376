import { sql } from 'kysely'
import { allOf } from '../../../platform/db/all-of.ts'
import type { Db } from '../../../platform/db/database.ts'
import { sourceName } from '../../../shared/display-names.ts'
import type { CaseId, EventId, SourceId } from '../../../shared/ids.ts'
import { showSource } from '../../../shared/source-fields.ts'
import type { CaseShape, Check } from './contract.ts'

type Row = {
  id: CaseId
  sourceId: SourceId
  sourceName: string | null
  eventId: EventId
  name: string
  checks: Check[]
  erasedAt: Date | null
  createdBy: { name: string }
  createdAt: Date
  lastRehearsalId: string | null
  lastPassed: boolean | null
  lastAt: Date | null
}

/** False if the event is a case already. */
export async function insertCase(
  tx: Db,
  row: Pick<Row, 'id' | 'sourceId' | 'eventId' | 'name' | 'checks'> & { createdBy: object },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into cases (id, source_id, event_id, name, checks, created_by)
    values (${row.id}, ${row.sourceId}, ${row.eventId}, ${row.name}, ${JSON.stringify(row.checks)}, ${JSON.stringify(row.createdBy)})
    on conflict (event_id) do nothing`.execute(tx)
  return numAffectedRows === 1n
}

export async function updateCase(
  tx: Db,
  id: CaseId,
  { name, checks }: { name?: string | undefined; checks?: Check[] | undefined },
): Promise<void> {
  await sql`
    update cases set name = coalesce(${name ?? null}, name), checks = coalesce(${checks ? JSON.stringify(checks) : null}::json, checks)
    where id = ${id} and erased_at is null`.execute(tx)
}

export async function deleteCase(tx: Db, id: CaseId): Promise<void> {
  await sql`delete from cases where id = ${id}`.execute(tx)
}

/** In the transaction that erases the event: what people wrote about it goes, too, and the case says what happened. */
export async function eraseCase(tx: Db, eventId: EventId): Promise<void> {
  await sql`
    update cases set name = 'Erased event', checks = '[]', erased_at = now() where event_id = ${eventId}`.execute(
    tx,
  )
  await sql`update rehearsed_events set checks = null where event_id = ${eventId}`.execute(tx)
}

/** Nothing can be tried on a webhook or schedule that is deleted. */
export async function deleteOrphanedCases(db: Db): Promise<void> {
  await sql`
    delete from cases where source_id in (select id from event_sources where state = 'deleted')`.execute(db)
}

type Filter = {
  id?: CaseId
  eventId?: string | undefined
  sourceId?: string | undefined
  cursor?: string | undefined
  limit: number
}

/** The newest `limit + 1`. */
export async function listCaseRows(db: Db, of: Filter): Promise<CaseShape[]> {
  const where = allOf([
    of.id && sql`c.id = ${of.id}`,
    of.eventId && sql`c.event_id = ${of.eventId}`,
    of.sourceId && sql`c.source_id = ${of.sourceId}`,
    of.cursor && sql`c.id < ${of.cursor}`,
  ])
  const { rows } = await sql<Row>`
    select c.*, ${sourceName(sql`c.source_id`)} as source_name, last.rehearsal_id as last_rehearsal_id, last.passed as last_passed,
      last.ended_at as last_at
    from cases c left join lateral (
      select o.rehearsal_id, h.ended_at,
        not exists (select from json_array_elements(o.checks) judged where judged ->> 'passed' <> 'true') as passed
      from rehearsed_events o join rehearsals h on h.id = o.rehearsal_id
      where o.event_id = c.event_id and o.checks is not null and o.outcome is not null
      order by o.rehearsal_id desc limit 1
    ) last on true
    where ${where} order by c.id desc limit ${of.limit + 1}`.execute(db)
  return rows.map(show)
}

function show(row: Row): CaseShape {
  return {
    id: row.id,
    eventId: row.eventId,
    name: row.name,
    ...showSource(row.sourceId, row.sourceName),
    checks: row.checks,
    eventErased: row.erasedAt !== null,
    lastResult:
      row.lastRehearsalId === null
        ? null
        : {
            rehearsalId: row.lastRehearsalId,
            passed: row.lastPassed === true,
            at: row.lastAt?.toISOString() ?? null,
          },
    createdBy: row.createdBy.name,
    createdAt: row.createdAt.toISOString(),
  }
}
