import { chooseFallback, chooseNamed } from '../../settings/choose-model.ts'
import { type TestContext, tryModel } from '../../settings/test-model.ts'
import type { RunMetrics } from '../run-metrics.ts'
import { endOutage } from './end-outage.ts'

type Context = TestContext & Parameters<typeof endOutage>[0] & { metrics: Pick<RunMetrics, 'modelsHeld'> }

/** Asks each model that events wait for whether it answers again, one question at a time for all processes. */
export async function probeModels(ctx: Context): Promise<void> {
  for (const model of await ctx.outages.claimProbes()) {
    const chosen = await chooseNamed(ctx, model)
    const fallback = await chooseFallback(ctx)
    // One that is not set up any more has nothing to wait for: its runs say so.
    const answers =
      chosen === null ||
      (await tryModel(ctx, chosen)).ok ||
      (fallback !== null && (await tryModel(ctx, fallback)).ok)
    if (answers) await endOutage(ctx, model, 'on-purpose')
  }
  const held = (await ctx.outages.list()).filter(({ heldAt }) => heldAt !== null)
  ctx.metrics.modelsHeld.set(held.length)
}
