import type { Db } from '../platform/db/database.ts'
import { forgetToolCalls } from '../tools/forget-tool-calls.ts'
import type { Settings } from './settings/open-settings.ts'
import { deleteRuns } from './store/wipe-runs.ts'

type Context = { db: Db; settings: Settings; now: () => Date; isStopping(): boolean }

const batch = 200

/** Forgets runs that ended longer ago than the retention, in small transactions that nobody has to wait for. */
export async function pruneRuns(ctx: Context): Promise<void> {
  const { retention } = await ctx.settings.read()
  const before = new Date(ctx.now().getTime() - retention.days * 86_400_000)
  for (let count = batch; count === batch && !ctx.isStopping(); ) {
    count = await ctx.db.transaction().execute(async (tx) => {
      const ids = await deleteRuns(tx, before, batch)
      if (ids.length > 0) await forgetToolCalls(tx, ids)
      return ids.length
    })
    // A breath between two: the runs at work come first.
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
