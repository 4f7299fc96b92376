import type { CancelClick } from '../../chat/chat.ts'
import { findTrigger } from '../../events/inbox/find-trigger.ts'
import { moveEvent } from '../../events/inbox/move-events.ts'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { type Actor, mayActAs } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import { eventOf, type RunId } from '../../shared/ids.ts'
import { dropWaitingCalls } from '../../tools/end-tool-calls.ts'
import { isOver } from '../loop/run.ts'
import type { RunContext } from '../loop/run-context.ts'
import { readFirstRun } from '../loop/start/start-run.ts'
import { findQueued } from '../store/queued-runs.ts'
import { endAsCancelled } from '../store/replies.ts'
import { findRun, insertQueuedRun, type NewRun, ownEventOf } from '../store/run-rows.ts'

type Context = RunContext & { audit: Audit }
/** A click in a chat comes from no address that we know. */
type Caller = { actor: Actor; source?: string }

/** Ends the run. The worker that owns it loses it at its next commit, and its pending approvals are void. */
export async function cancelRun(ctx: Context, caller: Caller, id: RunId): Promise<void> {
  const unstarted = await findUnstarted(ctx, caller.actor, id)
  const cancelled =
    (unstarted && (await endRun(ctx, caller, id, unstarted))) || (await endRun(ctx, caller, id))
  if (!cancelled) throw await explain(ctx.db, id)
  ctx.metrics.runsEnded.inc({ status: 'cancelled' })
}

/** Operators, and whoever asked for it. The message with the button is in the run's own channel. */
export async function cancelByClick(ctx: Context, { runId, channelId, actor }: CancelClick): Promise<void> {
  const run = await findRun(ctx.db, runId)
  if (!run || run.channelId !== channelId)
    throw problem('forbidden', 'This run belongs to another channel. Cancel it on its page.')
  if (run.requester.id !== actor.id && !mayActAs(actor, 'operator'))
    throw problem(
      'forbidden',
      'Only the person who asked and operators can cancel this run. Ask one of them.',
    )
  await cancelRun(ctx, { actor }, runId)
}

/** False if it is over, or if an unstarted one has started meanwhile. */
async function endRun(ctx: Context, caller: Caller, id: RunId, unstarted?: NewRun): Promise<boolean> {
  const { name } = caller.actor
  const notice = `🛑 This was cancelled by ${name} before it was finished. [See the run](${ctx.publicUrl}/runs/${id})`
  return await ctx.db.transaction().execute(async (tx) => {
    // To insert it, its event is locked; a run that exists is locked before its event, so that needs another transaction.
    if (unstarted && !(await insertQueuedRun(tx, unstarted))) return false
    const run = await endAsCancelled(tx, id, `${name} cancelled it.`, notice)
    if (!run) return false
    const event = ownEventOf(run)
    if (event) await moveEvent(tx, event, 'failed')
    await dropWaitingCalls({ db: tx, queue: ctx.queue }, id)
    await ctx.queue.send(tx, 'reply.post', { runId: id }, { key: id })
    await ctx.audit(tx, { ...caller, action: 'run.cancelled', subject: id })
    return true
  })
}

/** A run that waits in the inbox gets a row first, so that whoever starts it finds that it is over. */
async function findUnstarted(ctx: Context, actor: Actor, id: RunId): Promise<NewRun | null> {
  const queued = (await findRun(ctx.db, id)) ? null : await findQueued(ctx.db, actor, id)
  if (queued?.eventStatus !== 'accepted' && queued?.eventStatus !== 'dispatched') return null
  const trigger = await findTrigger(ctx.db, eventOf(id))
  return trigger && (await readFirstRun(ctx, trigger))
}

async function explain(db: Db, id: RunId): Promise<Error> {
  const run = await findRun(db, id)
  if (!run) return problem('run-not-active', 'The run did not start and will not start.')
  return problem(
    'run-not-active',
    isOver(run.status)
      ? `The run has already ended (${run.status}).`
      : 'The run is done; its reply is being posted.',
  )
}
