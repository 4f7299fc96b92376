import { modelLabel } from '../../shared/wording/model-label.ts'
import type { WorkSession } from '../loop/hold-lease.ts'
import type { RunContext } from '../loop/run-context.ts'
import { suspendRun } from '../loop/suspend-run.ts'
import { ownEventOf, type Run } from '../store/run-rows.ts'
import { runsBeforeHold } from './store.ts'

/**
 * The run has asked its model as often as it may. If others before it have too, the provider is down: the run and all events that
 * need the model wait until it answers, instead of failing one by one. True if the run waits. A person who asked is told at once.
 */
export async function holdForModel(
  ctx: RunContext,
  run: Run,
  { problem, modelFailures }: { problem: string; modelFailures: number },
  session: WorkSession,
): Promise<boolean> {
  if (ownEventOf(run) === null) return false
  const model = { provider: run.modelProvider, name: run.modelName }
  const outcome = await ctx.outages.countFailure(model, problem, run.channelId)
  if (outcome === 'counted') return false
  await suspendRun(ctx, run, { until: 'model-back', modelFailures }, session)
  if (outcome === 'held') return true
  const label = modelLabel(model.provider, model.name)
  ctx.log.error({ model: label, problem }, 'model.unavailable')
  if (run.channelId === null) return true
  await ctx.chat
    .post({
      channelId: run.channelId,
      threadId: null,
      text: `⏸️ The model ${label} did not answer ${runsBeforeHold} runs in a row. Events that need it are kept and wait. Bellhop asks it every 30 seconds and goes on when it answers. Runs that failed before can be replayed: ${ctx.publicUrl}/events?status=failed`,
      key: `model-unavailable ${run.id}`,
      author: 'system',
    })
    // The run must not fail for its notice.
    .catch((err: unknown) => ctx.log.warn({ runId: run.id, err }, 'model.notice_failed'))
  return true
}
