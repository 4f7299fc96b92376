import { modelLabel } from '../shared/wording/model-label.ts'
import { type Chosen, chooseFallback, chooseModel, type ModelContext } from './choose-model.ts'
import type { SettingsShape } from './contract.ts'

/** The settings in force; for a key, only whether it is set. */
export async function showSettings(ctx: ModelContext): Promise<SettingsShape> {
  const [{ agent, limits, retention, approvals, timeZone, prices }, chosen, fallback] = await Promise.all([
    ctx.settings.read(),
    chooseModel(ctx),
    chooseFallback(ctx),
  ])
  return {
    agent,
    model: { ...showModel(chosen), source: chosen.source },
    fallbackModel: fallback && showModel(fallback),
    limits,
    retention,
    approvals,
    timeZone,
    prices,
  }
}

function showModel({ choice: { apiKey, ...model } }: Chosen) {
  return { ...model, apiKey: { set: apiKey !== null }, label: modelLabel(model.provider, model.name) }
}
