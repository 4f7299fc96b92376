import { sql } from 'kysely'
import type { z } from 'zod'
import type { Db } from '../../platform/db/database.ts'
import type { Caller } from '../../shared/actor.ts'
import type { EventId, RunId } from '../../shared/ids.ts'
import type { replayedShape, replayFailedShape } from '../contract.ts'
import { type ReplayContext, startReplay } from './start-replay.ts'

type Asked = z.output<typeof replayFailedShape>

/** They take workers from other runs, and a caller who waits for thousands would give up. */
const most = 100

/** Replays the events whose runs failed with this error, the oldest first, if no replay of theirs is under way or has succeeded. */
export async function replayFailed(
  ctx: ReplayContext,
  caller: Caller,
  asked: Asked,
): Promise<z.output<typeof replayedShape>> {
  const events = await listFailed(ctx.db, asked, most + 1)
  const runIds: RunId[] = []
  for (const id of events.slice(0, most)) runIds.push(await startReplay(ctx, caller, id, {}))
  return { runIds, more: events.length > most }
}

async function listFailed(
  db: Db,
  { failedWith, since, webhookId, scheduleId }: Asked,
  limit: number,
): Promise<EventId[]> {
  const sourceId = webhookId ?? scheduleId ?? null
  const { rows } = await sql<{ id: EventId }>`
    select e.id from runs r join events e on e.id = r.event_id and e.run_id = r.id
    where r.status = 'failed' and r.error_code = ${failedWith} and r.ended_at >= ${since}
      and (${sourceId}::text is null or r.source_id = ${sourceId}) and e.erased_at is null
      and exists (select from event_sources w where w.id = e.source_id and w.state <> 'deleted')
      and not exists (select from runs p where p.replay_of = r.id and not p.dry and p.status <> 'failed' and p.status <> 'cancelled')
    order by e.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}
