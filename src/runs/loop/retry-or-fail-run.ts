import { classifyModelError } from '../../models/classify-model-error.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import { holdForModel } from '../outages/hold-for-model.ts'
import { saveAttempt } from '../store/leases.ts'
import type { Run } from '../store/run-rows.ts'
import { failRun } from './fail-run.ts'
import type { WorkSession } from './hold-lease.ts'
import type { RunContext } from './run-context.ts'
import { suspendRun } from './suspend-run.ts'

const maxModelFailures = 8

/** The model did not answer: the run is retried later, or ends with a notice. */
export async function retryOrFailRun(
  ctx: RunContext,
  run: Run,
  error: unknown,
  asked: { seq: number; startedAt: Date },
  session: WorkSession,
): Promise<string> {
  if (session.stopping.aborted) {
    await suspendRun(ctx, run, { until: 'taken-up' }, session)
    return 'handed-back'
  }
  const verdict = classifyModelError(error)
  const modelFailures = run.modelFailures + 1
  const endedAt = ctx.now()
  const attempt = {
    seq: asked.seq,
    startedAt: asked.startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    // It may quote anything.
    message: replaceNul(verdict.message).toWellFormed(),
  }
  if (verdict.kind === 'fail') {
    await saveAttempt(ctx.db, run, { ...attempt, retryAt: null })
    return await failRun(ctx, run, verdict, session)
  }
  if (modelFailures >= maxModelFailures) {
    await saveAttempt(ctx.db, run, { ...attempt, retryAt: null })
    const { message } = verdict
    if (await holdForModel(ctx, run, { problem: message, modelFailures }, session)) return 'held'
    return await failRun(ctx, run, { code: 'model_unavailable', message }, session)
  }
  ctx.log.warn({ runId: run.id, modelFailures, problem: verdict.message }, 'model.failed')
  const pauseMs = verdict.afterMs ?? Math.min(500 * 2 ** modelFailures, 60_000)
  const retryAt = new Date(endedAt.getTime() + pauseMs).toISOString()
  await saveAttempt(ctx.db, run, { ...attempt, retryAt })
  await suspendRun(ctx, run, { until: 'model-answers', pauseMs, modelFailures }, session)
  return 'model-failed'
}
