import { parkEvent } from '../../events/inbox/move-events.ts'
import { releaseRun } from '../store/leases.ts'
import { LeaseLost, ownEventOf, type Run } from '../store/run-rows.ts'
import type { WorkSession } from './hold-lease.ts'
import type { RunContext } from './run-context.ts'

/**
 * What an unfinished run waits for: a decision, the agent to be resumed, any worker, or the end of a pause before the next
 * model call, or the end of an outage of the model.
 */
type Wait =
  | { until: 'decided' }
  | { until: 'agent-resumed' }
  | { until: 'taken-up' }
  | { until: 'model-answers'; pauseMs: number; modelFailures: number }
  | { until: 'model-back'; modelFailures: number }

/** The end of the outage wakes it; this is for the case that nobody notices it. Until then its job keeps the sweep away. */
const longOutageMs = 6 * 3_600_000

/** Releases the run with everything it needs to continue. Does nothing if the run is no longer ours. */
export async function suspendRun(ctx: RunContext, run: Run, wait: Wait, session: WorkSession): Promise<void> {
  const { until } = wait
  // Whoever does not work takes no place.
  const event = until === 'decided' || until === 'model-back' ? ownEventOf(run) : null
  await ctx.db.transaction().execute(async (tx) => {
    const released = await releaseRun(tx, run, {
      status: until === 'decided' ? 'waiting' : 'running',
      workMs: session.workMs(),
      madeProgress: true,
      ...(until === 'model-answers' || until === 'model-back' ? { modelFailures: wait.modelFailures } : {}),
      ...(until === 'model-answers' ? { pauseMs: wait.pauseMs } : {}),
    })
    if (!released) throw new LeaseLost(run.id)
    if (event) await parkEvent(tx, event, true)
    // The decision, or resuming the agent, wakes it.
    if (until === 'decided' || until === 'agent-resumed') return
    // Its rehearsal takes it up again, with a worker of its own.
    if (run.rehearsalId) return
    const later =
      until === 'taken-up' ? {} : { startAfter: until === 'model-back' ? longOutageMs : wait.pauseMs }
    await ctx.queue.send(tx, 'run.advance', { runId: run.id }, { key: run.id, ...later })
  })
}
