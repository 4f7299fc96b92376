import { failRun } from './fail-run.ts'
import { handBack } from './hand-back.ts'
import type { Hands } from './hold-lease.ts'
import { judgeModelError } from './judge-model-error.ts'
import type { RunContext } from './run-context.ts'
import { releaseRun } from './store/leases.ts'
import { LeaseLost, type Run } from './store/run-rows.ts'

const failuresAtMost = 8

/** The model did not answer: the run steps back and tries again later, or ends with a notice. */
export async function meetModelError(
  ctx: RunContext,
  run: Run,
  error: unknown,
  hands: Hands,
): Promise<string> {
  if (hands.stopping.aborted) return await handBack(ctx, run, hands)
  const verdict = judgeModelError(error)
  const modelFailures = run.modelFailures + 1
  if (verdict.kind === 'fail' || modelFailures >= failuresAtMost) {
    const code = verdict.kind === 'fail' ? verdict.code : 'model_unavailable'
    return await failRun(ctx, run, { code, message: verdict.message }, hands)
  }
  ctx.log.warn({ runId: run.id, modelFailures, problem: verdict.message }, 'model.failed')
  const pauseMs = verdict.afterMs ?? Math.min(500 * 2 ** modelFailures, 60_000)
  await ctx.db.transaction().execute(async (tx) => {
    const as = { status: 'running', workMs: hands.workMs(), gotOn: true, modelFailures } as const
    if (!(await releaseRun(tx, run, as))) throw new LeaseLost(run.id)
    const startAfter = new Date(Date.now() + pauseMs)
    await ctx.queue.send(tx, 'run.advance', { runId: run.id }, { key: run.id, startAfter })
  })
  return 'model-failed'
}
