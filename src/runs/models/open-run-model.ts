import { chooseModel, chooseOther } from './choose-model.ts'
import type { Model } from './model.ts'
import type { Models } from './open-models.ts'

type Context = Parameters<typeof chooseModel>[0] & { models: Models }

/** The model that was recorded with the run. Null if nothing is set up any more that could speak to it. */
export async function openRunModel(
  ctx: Context,
  run: { modelProvider: string; modelName: string },
): Promise<Model | null> {
  const chosen = await chooseModel(ctx)
  const isChosen = chosen.choice.provider === run.modelProvider && chosen.choice.name === run.modelName
  const fitting = isChosen
    ? chosen
    : await chooseOther(ctx, { provider: run.modelProvider, name: run.modelName })
  return fitting && (await ctx.models.open(fitting))
}
