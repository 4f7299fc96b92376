import type { Hands } from './hold-lease.ts'
import type { RunContext } from './run-context.ts'
import { releaseRun } from './store/leases.ts'
import { LeaseLost, type Run } from './store/run-rows.ts'

/** The service stops; another process, or this one after its restart, goes on at once. */
export async function handBack(ctx: RunContext, run: Run, hands: Hands): Promise<string> {
  await ctx.db.transaction().execute(async (tx) => {
    const as = { status: 'running', workMs: hands.workMs(), gotOn: true } as const
    if (!(await releaseRun(tx, run, as))) throw new LeaseLost(run.id)
    await ctx.queue.send(tx, 'run.advance', { runId: run.id }, { key: run.id })
  })
  return 'handed-back'
}
