import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import type { RunId } from '../../shared/ids.ts'
import { modelLabel } from '../../shared/wording/model-label.ts'
import { runVisibleTo } from '../history/run-visible-to.ts'
import type { RunStatus } from '../loop/run.ts'
import { listDryCalls } from '../store/dry-calls.ts'
import { listCallsByRun } from '../store/steps.ts'
import type { Behaviour } from './contract.ts'

type Row = {
  id: RunId
  status: RunStatus
  isVisible: boolean
  reply: string | null
  errorMessage: string | null
  modelProvider: string
  modelName: string
  cost: number
  workMs: number
}

/** What these runs did, as far as this person may know. Real runs and runs of rehearsals alike. */
export async function readBehaviours(
  db: Db,
  actor: Actor,
  runIds: readonly RunId[],
): Promise<Map<RunId, Behaviour>> {
  const [{ rows }, asked, real, dry] = await Promise.all([
    sql<Row>`
      select r.id, r.status, ${runVisibleTo(actor)} as is_visible, p.text as reply, r.error_message, r.model_provider, r.model_name,
        r.cost, r.work_ms::float8
      from runs r left join replies p on p.run_id = r.id and p.kind = 'answer'
      where r.id = any(${runIds})`.execute(db),
    listCallsByRun(db, runIds),
    listWrites(db, runIds),
    listDryCalls(db, runIds),
  ])
  // A write counts if it was sent, or somebody was asked; a dry one if it would have been.
  const writes = new Set([
    ...real,
    ...dry
      .filter(({ capability, answered }) => capability !== 'read' && answered !== 'refused')
      .map(({ callId }) => callId),
  ])
  const missing = new Set(
    dry.filter(({ answered }) => answered === 'not_recorded').map(({ callId }) => callId),
  )
  const dryOf = new Map(dry.map((call) => [call.callId, call]))
  return new Map(
    rows.map((row) => {
      const calls = row.isVisible ? (asked.get(row.id) ?? []) : []
      const pick = (ids: ReadonlySet<string>) =>
        calls.filter(({ callId }) => ids.has(callId)).map(({ name, input }) => ({ tool: name, input }))
      return [
        row.id,
        {
          runId: row.id,
          ended: endOf(row.status),
          reply: row.isVisible ? row.reply : null,
          error: row.isVisible ? row.errorMessage : null,
          writes: pick(writes),
          tried: calls.flatMap(({ callId, name, input }) => {
            const { capability, would } = dryOf.get(callId) ?? {}
            return capability && would ? [{ tool: name, input, capability, would }] : []
          }),
          notRecorded: pick(missing),
          model: modelLabel(row.modelProvider, row.modelName),
          cost: row.cost,
          workMs: row.workMs,
        },
      ]
    }),
  )
}

function endOf(status: RunStatus): Behaviour['ended'] {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled' ? status : 'running'
}

async function listWrites(db: Db, runIds: readonly RunId[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from tool_calls
    where run_id = any(${runIds}) and capability <> 'read' and (approval_id is not null or state <> 'refused')`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
