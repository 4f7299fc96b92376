import { notifyEventsWaiting } from '../../events/inbox/move-events.ts'
import type { JobSender } from '../../jobs.ts'
import { listAliveRuns } from '../store/run-rows.ts'

/** The agent is no longer paused: continues the runs that stopped, and wakes the dispatcher. */
export async function wakeRuns({ db, queue }: JobSender): Promise<void> {
  const ids = await listAliveRuns(db)
  await queue.sendMany(
    db,
    'run.advance',
    ids.map((runId) => ({ payload: { runId }, key: runId })),
  )
  await notifyEventsWaiting(db)
}
