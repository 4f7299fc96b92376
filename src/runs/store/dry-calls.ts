import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { RunId, ToolCallId } from '../../shared/ids.ts'
import type { Run } from './run-rows.ts'

export type DryCall = {
  callId: ToolCallId
  capability: 'read' | 'write' | 'destructive'
  /** `stopped`: it would have been sent or asked for. `refused`: a real run would have been refused it, too. */
  answered: 'live' | 'recorded' | 'not_recorded' | 'stopped' | 'refused'
  /** What a real run would have done with it; null in those that were made before this was kept. */
  would: 'send' | 'ask' | 'refuse' | null
  /** The call of the original run whose answer it got. */
  recordedCallId: ToolCallId | null
}

/** After a crash the call is answered again, and the last answer counts. Not for whoever has lost the run. */
export async function saveDryCall(db: Db, { id, fence }: Run, call: DryCall): Promise<void> {
  await sql`
    insert into dry_calls (call_id, run_id, capability, answered, would, recorded_call_id)
    select ${call.callId}, id, ${call.capability}, ${call.answered}, ${call.would}, ${call.recordedCallId}
    from runs where id = ${id} and fence = ${fence} and erased_at is null
    on conflict (call_id) do update set answered = excluded.answered, would = excluded.would, recorded_call_id = excluded.recorded_call_id`.execute(
    db,
  )
}

export async function listDryCalls(
  db: Db,
  runIds: readonly RunId[],
): Promise<(DryCall & { runId: RunId })[]> {
  const { rows } = await sql<DryCall & { runId: RunId }>`
    select call_id, run_id, capability, answered, would, recorded_call_id from dry_calls where run_id = any(${runIds})`.execute(
    db,
  )
  return rows
}
