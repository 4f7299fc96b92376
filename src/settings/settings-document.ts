import type { Document } from '../revisions/compare-documents.ts'
import type { SettingsValues } from './open-settings.ts'
import type { StoredModel } from './stored-model.ts'

/** What a revision of the settings holds: no key, and not that the agent is paused. */
export function documentOf(of: SettingsValues): Document {
  const { name, instructions } = of.agent
  return {
    agent: { name, instructions },
    model: withoutKey(of.model),
    fallbackModel: withoutKey(of.fallbackModel),
    limits: of.limits,
    retention: of.retention,
    approvals: of.approvals,
    timeZone: of.timeZone,
    prices: of.prices,
  }
}

function withoutKey(model: StoredModel | null): Omit<StoredModel, 'apiKey'> | null {
  if (model === null) return null
  const { apiKey: _, ...rest } = model
  return rest
}
