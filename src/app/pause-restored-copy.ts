import { readBackupMark, removeBackupMark } from '../platform/files/backup-mark.ts'
import { listAliveRuns } from '../runs/store/run-rows.ts'
import { pauseAgent } from '../settings/pause-agent.ts'
import { endCallsInFlight } from '../tools/end-tool-calls.ts'
import type { AppContext } from './app-context.ts'

/**
 * The first start on a backup. The original went on after it was made, so what was under way then may be finished: nothing is sent
 * again until an admin has looked.
 */
export async function pauseRestoredCopy(ctx: AppContext, folder: string): Promise<void> {
  const madeAt = await readBackupMark(folder)
  if (madeAt === null) return
  const runs = (await listAliveRuns(ctx.db)).length
  const time = madeAt.replace(/^(\S+)T(\d\d:\d\d)\S*$/, '$1 $2 UTC')
  const unfinished = runs === 1 ? '1 run' : `${runs} runs`
  const reason =
    `The agent is paused: Bellhop was restored from the backup of ${time}. ${unfinished} and the events that waited then may have ` +
    'been handled by the original since. Cancel the runs that must not go on, then resume the agent.'
  const calls = await ctx.db.transaction().execute(async (tx) => {
    await pauseAgent({ ...ctx, db: tx }, reason)
    return await endCallsInFlight({ db: tx, queue: ctx.queue })
  })
  ctx.settings.forget()
  ctx.log.warn({ madeAt, runs, calls, says: reason }, 'backup.restored')
  await removeBackupMark(folder)
}
