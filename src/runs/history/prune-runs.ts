import { longestThreadDays } from '../../events/rules/contract.ts'
import type { Db } from '../../platform/db/database.ts'
import { inBatches } from '../../platform/in-batches.ts'
import type { Settings } from '../../settings/open-settings.ts'
import { forgetToolCalls } from '../../tools/end-tool-calls.ts'
import { deleteToolSets } from '../store/tool-sets.ts'
import { deleteRuns } from '../store/wipe-runs.ts'
import { deleteEventThreads } from '../threads/event-threads.ts'

type Context = { db: Db; settings: Settings; now: () => Date }

const batch = 200

/** Deletes runs that ended before the retention period, the tool sets that only they used, and threads that no event can join. */
export async function pruneRuns(ctx: Context, signal?: AbortSignal): Promise<void> {
  const { retention } = await ctx.settings.read()
  const before = new Date(ctx.now().getTime() - retention.days * 86_400_000)
  await inBatches(
    batch,
    (limit) => ctx.db.transaction().execute((tx) => deleteBatch(tx, before, limit)),
    signal,
  )
  await inBatches(batch, (limit) => deleteToolSets(ctx.db, before, limit), signal)
  const forgotten = new Date(ctx.now().getTime() - longestThreadDays * 86_400_000)
  await inBatches(batch, (limit) => deleteEventThreads(ctx.db, forgotten, limit), signal)
}

async function deleteBatch(tx: Db, before: Date, limit: number): Promise<number> {
  const ids = await deleteRuns(tx, before, limit)
  if (ids.length > 0) await forgetToolCalls(tx, ids)
  return ids.length
}
