import { sql } from 'kysely'
import type { Trigger } from '../../events/inbox/find-trigger.ts'
import { parkEvent } from '../../events/inbox/move-events.ts'
import { type Db, isDiskFull } from '../../platform/db/database.ts'
import { chooseNamed, lostModelKey } from '../../settings/choose-model.ts'
import type { RunId } from '../../shared/ids.ts'
import { modelLabel } from '../../shared/wording/model-label.ts'
import { listFound, mustSearch } from '../built-in-tools/built-in-tools.ts'
import { readInitialMessages } from '../prompt/read-initial-messages.ts'
import { deliverReply } from '../reply/post-reply.ts'
import { releaseRun, takeRun } from '../store/leases.ts'
import { findReply } from '../store/replies.ts'
import { LeaseLost, ownEventOf, type Run } from '../store/run-rows.ts'
import { listCalls, listSteps } from '../store/steps.ts'
import { runAgentLoop } from './agent-loop.ts'
import { failRun } from './fail-run.ts'
import { holdLease, type WorkSession } from './hold-lease.ts'
import { internalFailure, maxTries, workersDied } from './internal-failure.ts'
import type { RunContext } from './run-context.ts'
import { continueServedCall } from './tool-calls/serve-call.ts'

const pollMs = 1000

/** The job: does whatever there is to do now, and returns when the run is over or must wait. */
export async function advanceRun(ctx: RunContext, runId: RunId, signal: AbortSignal): Promise<void> {
  const takenAt = performance.now()
  const taken = await takeRun(ctx.db, runId)
  if (taken.kind === 'over') return
  if (taken.kind === 'busy') {
    // The worker that owns the run may be about to stop without having seen what we were sent for.
    await ctx.queue.send(ctx.db, 'run.advance', { runId }, { key: runId, startAfter: pollMs })
    return
  }
  if (taken.run.trigger === 'mcp') return await continueServedCall(ctx, taken.run, takenAt)
  const event = ownEventOf(taken.run)
  if (event) await parkEvent(ctx.db, event, false)
  await continueRun(ctx, taken.run, { isNew: false, trigger: null, takenAt }, signal)
}

/** What the caller has just read or written, so that it need not be read again. */
type Known = {
  isNew: boolean
  trigger: Trigger | null
  /** By `performance.now()`, before it was taken. */
  takenAt: number
}

/** The caller owns the run. It is released in any case, so that the next worker need not wait for the lease to expire. */
export async function continueRun(
  ctx: RunContext,
  run: Run,
  known: Known,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now()
  const { limits } = await ctx.settings.read()
  using lease = holdLease(ctx, run, limits.workSecondsPerRun * 1000, known.takenAt)
  const session: WorkSession = {
    workMs: () => Math.round(run.workMs + performance.now() - startedAt),
    lost: lease.signal,
    stopping: signal,
    ownership: lease,
  }
  let outcome = 'threw'
  try {
    await ctx.faults?.('run.taken')
    outcome = await work(ctx, run, known, session)
  } catch (error) {
    if (error instanceof LeaseLost || lease.signal.aborted) {
      outcome = 'lost'
      return
    }
    // A full disk is not the run's fault, however often it happens: the count of tries starts again.
    const madeProgress = isDiskFull(error)
    if (madeProgress || run.tries < maxTries) {
      await releaseRun(ctx.db, run, { status: 'running', workMs: session.workMs(), madeProgress }).catch(
        () => false,
      )
      throw error
    }
    ctx.log.error({ runId: run.id, err: error }, 'run.given_up')
    outcome = await failRun(ctx, run, internalFailure, session)
  } finally {
    ctx.log.info({ runId: run.id, outcome, ms: Math.round(performance.now() - startedAt) }, 'run.advanced')
  }
}

async function work(
  ctx: RunContext,
  run: Run,
  { isNew, trigger }: Known,
  session: WorkSession,
): Promise<string> {
  const pending = isNew ? null : await findReply(ctx.db, run.id)
  if (pending?.state === 'pending') {
    await deliverReply(ctx, run, pending)
    return 'posted'
  }
  if (run.tries > maxTries) {
    ctx.log.error({ runId: run.id, reason: workersDied }, 'run.given_up')
    return await failRun(ctx, run, internalFailure, session)
  }
  const obstacle = isNew ? await findObstacle(ctx.db, run) : null
  if (obstacle) return await failRun(ctx, run, obstacle, session)
  const chosen = await chooseNamed(ctx, { provider: run.modelProvider, name: run.modelName })
  if (chosen === null) {
    const message = `The model ${modelLabel(run.modelProvider, run.modelName)} is not set up here.`
    return await failRun(ctx, run, { code: 'model_not_set_up', message }, session)
  }
  if (chosen.keyIsLost)
    return await failRun(ctx, run, { code: 'model_key_refused', message: lostModelKey }, session)
  const model = await ctx.models.open(chosen)
  const [steps, set, initial] = await Promise.all([
    isNew ? [] : listSteps(ctx.db, run.id),
    ctx.toolSets.recorded(run.toolSet),
    readInitialMessages(ctx, run, model, trigger),
  ])
  // What was found in earlier turns stays shown: the agent need not search again, and the provider's cache stays valid.
  const found = mustSearch(set) ? listFound(set, await listCalls(ctx.db, initial.earlierRunIds)) : []
  return await runAgentLoop(ctx, { run, model, set, found, steps, ...initial }, session)
}

/**
 * Why a run that nobody watches cannot do its work, found before the model is asked: its channel or a connector of its list is gone.
 * Only for schedules: at nine in the morning nobody has just looked at their settings.
 */
async function findObstacle(
  db: Db,
  { trigger, channelId, connectorIds }: Pick<Run, 'trigger' | 'channelId' | 'connectorIds'>,
): Promise<{ code: string; message: string } | null> {
  if (trigger !== 'schedule') return null
  const { rows } = await sql<{ hasChannel: boolean; gone: string[] }>`
    select exists (select from channels c join workspaces w on w.id = c.workspace_id
                   where c.id = ${channelId} and c.deleted_at is null and w.deleted_at is null) as has_channel,
      array(select id from unnest(${connectorIds ?? []}::text[]) as l (id)
            where not exists (select from connectors where connectors.id = l.id)) as gone`.execute(db)
  const [found] = rows
  if (found && !found.hasChannel)
    return { code: 'channel_gone', message: 'Its channel was removed. Choose another one for the schedule.' }
  if (found && found.gone.length > 0)
    return {
      code: 'connector_gone',
      message: `These connectors were deleted: ${found.gone.join(', ')}. Take them off the list of the schedule, or choose others.`,
    }
  return null
}
