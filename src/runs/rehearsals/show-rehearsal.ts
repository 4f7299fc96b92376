import { sql } from 'kysely'
import { describeEvent } from '../../events/ledger/describe-event.ts'
import { beginningBytes } from '../../events/ledger/events.ts'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import type { EventId, RehearsalId, RunId } from '../../shared/ids.ts'
import { showSource } from '../../shared/source-fields.ts'
import type { Check } from './cases/contract.ts'
import { compareBehaviours } from './compare-behaviours.ts'
import type { Behaviour, Outcome, RehearsalShape, RehearsalSummary, RehearsedEvent } from './contract.ts'
import { listRows, type RehearsalRow } from './list-rows.ts'
import { readBehaviours } from './read-behaviours.ts'
import { writeVerdict } from './write-verdict.ts'

export function showSummary({ sourceId, currentName, ...row }: RehearsalRow): RehearsalSummary {
  return {
    ...row,
    verdict: writeVerdict(row),
    ...showSource(sourceId, currentName),
    createdBy: row.createdBy.name,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
  }
}

export async function getRehearsal(db: Db, actor: Actor, id: RehearsalId): Promise<RehearsalShape> {
  const [row] = await listRows(db, { id, limit: 1 })
  if (!row) throw problem('not-found', 'There is no such rehearsal.')
  const events = await listRehearsed(db, id)
  const runIds = events
    .flatMap(({ beforeRunId, runId }) => [beforeRunId, runId])
    .filter((one) => one !== null)
  const behaviours = await readBehaviours(db, actor, runIds)
  return { ...showSummary(row), events: events.map((event) => showEvent(event, behaviours)) }
}

type Row = {
  eventId: EventId
  receivedAt: Date | null
  status: string | null
  headers: Record<string, string> | null
  beginning: Buffer | null
  sizeBytes: number | null
  beforeRunId: RunId | null
  runId: RunId | null
  ruled: 'skipped' | 'notified' | null
  outcome: Outcome | null
  injection: string | null
  checks: (Check & { passed?: boolean })[] | null
}

/** The newest event first. */
async function listRehearsed(db: Db, id: RehearsalId): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select o.event_id, o.before_run_id, o.run_id, o.ruled, o.outcome, o.injection, o.checks, e.received_at, e.status, e.headers, e.size_bytes::float8,
      substring(coalesce(e.payload, e.body) from 1 for ${beginningBytes}) as beginning
    from rehearsed_events o left join events e on e.id = o.event_id
    where o.rehearsal_id = ${id} order by o.position`.execute(db)
  return rows
}

function showEvent(row: Row, behaviours: ReadonlyMap<RunId, Behaviour>): RehearsedEvent {
  const { headers, beginning, sizeBytes, outcome } = row
  const before =
    (row.beforeRunId && behaviours.get(row.beforeRunId)) ??
    (row.status === 'skipped' || row.status === 'notified' ? withoutRun(row.status) : null)
  const after = (row.runId && behaviours.get(row.runId)) ?? (row.ruled ? withoutRun(row.ruled) : null)
  const { newWrites, goneWrites } =
    after && outcome ? compareBehaviours(before || null, after) : { newWrites: [], goneWrites: [] }
  return {
    eventId: row.eventId,
    receivedAt: row.receivedAt?.toISOString() ?? null,
    summary: headers && describeEvent({ headers, beginning, isWhole: (sizeBytes ?? 0) < beginningBytes }),
    injection: row.injection,
    outcome,
    before: before || null,
    after: after || null,
    newWrites,
    goneWrites,
    checks: (row.checks ?? []).map((check) => ({ ...check, passed: check.passed ?? null })),
  }
}

function withoutRun(ended: 'skipped' | 'notified'): Behaviour {
  return {
    runId: null,
    ended,
    reply: null,
    error: null,
    writes: [],
    tried: [],
    notRecorded: [],
    model: null,
    cost: 0,
    workMs: 0,
  }
}
