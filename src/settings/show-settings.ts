import { modelLabel } from '../models/model.ts'
import { chooseModel, type ModelContext } from './choose-model.ts'
import type { SettingsShape } from './contract.ts'

/** The settings in force; for a key, only whether it is set. */
export async function showSettings(ctx: ModelContext): Promise<SettingsShape> {
  const [{ agent, limits, retention, timeZone, prices }, { choice, source }] = await Promise.all([
    ctx.settings.read(),
    chooseModel(ctx),
  ])
  const { provider, name, baseUrl, contextTokens } = choice
  return {
    agent,
    model: {
      provider,
      name,
      baseUrl,
      contextTokens,
      apiKey: { set: choice.apiKey !== null },
      source,
      label: modelLabel(provider, name),
    },
    limits,
    retention,
    timeZone,
    prices,
  }
}
