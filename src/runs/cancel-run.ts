import type { Actor } from '../actor.ts'
import type { Audit } from '../audit.ts'
import type { RunId } from '../ids.ts'
import type { Jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { problem } from '../problems.ts'
import { dropWaitingCalls } from '../tools/drop-waiting-calls.ts'
import { isOver } from './run.ts'
import { endAsCancelled } from './store/replies.ts'
import { findRun } from './store/run-rows.ts'
import type { Inbox } from './trigger.ts'

type Context = { db: Db; queue: Queue<Jobs>; audit: Audit; inbox: Inbox; metrics: Metrics; publicUrl: string }

/** The run is over with this. Whoever works on it loses it at its next commit, and what it asked for is asked no more. */
export async function cancelRun(ctx: Context, id: RunId, actor: Actor, source: string): Promise<void> {
  const message = `${actor.name} cancelled it.`
  const notice = `🛑 This was cancelled by ${actor.name} before it was finished. [See the run](${ctx.publicUrl}/runs/${id})`
  const cancelled = await ctx.db.transaction().execute(async (tx) => {
    const run = await endAsCancelled(tx, id, message, notice)
    if (!run) return null
    await dropWaitingCalls({ db: tx, queue: ctx.queue }, id)
    if (run.eventId && run.trigger !== 'replay') await ctx.inbox.settleEvent(tx, run.eventId, 'failed')
    await ctx.queue.send(tx, 'reply.post', { runId: id }, { key: id })
    await ctx.audit(tx, { actor, action: 'run.cancelled', subject: id, source })
    return run
  })
  if (!cancelled) throw await explain(ctx.db, id)
  ctx.metrics.runsEnded.inc({ status: 'cancelled' })
}

async function explain(db: Db, id: RunId): Promise<Error> {
  const run = await findRun(db, id)
  if (!run)
    return problem(
      'run-not-active',
      'It has not started, or there is no such run. Erase its event to drop it.',
    )
  return problem(
    'run-not-active',
    isOver(run.status)
      ? `It ended before: ${run.status}.`
      : 'It is done; its reply is on the way to the channel.',
  )
}
