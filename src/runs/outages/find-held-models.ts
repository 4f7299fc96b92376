import type { HeldModels } from '../../events/inbox/move-events.ts'
import { chooseModel, type ModelContext } from '../../settings/choose-model.ts'
import type { Outages } from './open-outages.ts'

const none: HeldModels = { usual: false, named: [] }

/** For the dispatcher: events that need these models wait. */
export async function findHeldModels(ctx: ModelContext & { outages: Outages }): Promise<HeldModels> {
  const held = (await ctx.outages.list()).filter(({ heldAt }) => heldAt !== null)
  if (held.length === 0) return none
  const { choice } = await chooseModel(ctx)
  return {
    usual: held.some(({ provider, name }) => provider === choice.provider && name === choice.name),
    named: held.map(({ provider, name }) => `${provider} ${name}`),
  }
}
