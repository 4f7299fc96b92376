import { findOwnModels } from '../../events/inbox/find-trigger.ts'
import type { Model } from '../../models/model.ts'
import { chooseFallback, chooseNamed } from '../../settings/choose-model.ts'
import { modelLabel } from '../../shared/wording/model-label.ts'
import type { RunContext } from '../loop/run-context.ts'
import type { Run } from '../store/run-rows.ts'

/** The webhook's fallback, else that of the settings; null if there is none. A dry run is about its own model. */
export async function findFallback(ctx: RunContext, run: Run): Promise<Model | null> {
  if (run.dry) return null
  const sourceId = run.sourceId ?? run.threadSourceId
  const named = sourceId && (await findOwnModels(ctx.db, sourceId))?.fallbackModel
  const chosen = named ? await chooseNamed(ctx, named) : await chooseFallback(ctx)
  if (!chosen || chosen.keyIsLost) return null
  const { provider, name } = chosen.choice
  const isSame = provider === run.modelProvider && name === run.modelName
  return isSame ? null : await ctx.models.open(chosen)
}

/** From now on the fallback is asked, for 5 minutes and by all runs. The first switch is announced where it happened. */
export async function switchToFallback(
  ctx: RunContext,
  run: Run,
  fallback: Model,
  problem: string,
): Promise<void> {
  const model = { provider: run.modelProvider, name: run.modelName }
  const since = await ctx.outages.beginFallback(model, problem)
  const labels = {
    model: modelLabel(model.provider, model.name),
    fallback: modelLabel(fallback.provider, fallback.name),
  }
  ctx.log.warn({ runId: run.id, ...labels, problem }, 'model.fallback')
  if (run.channelId === null) return
  await ctx.chat
    .post({
      channelId: run.channelId,
      threadId: null,
      text: `⚠️ The model ${labels.model} does not answer at the moment, so ${labels.fallback} answers instead. The first model is asked again every 5 minutes. What it said is on the page of the run: ${ctx.publicUrl}/runs/${run.id}`,
      // One notice for each outage, however many runs switch.
      key: `fallback ${labels.model} ${since.toISOString()}`,
      author: 'system',
    })
    // The run must not fail for its notice.
    .catch((err: unknown) => ctx.log.warn({ runId: run.id, err }, 'model.notice_failed'))
}
