import type { CallWarning } from 'ai'
import type { Log } from '../platform/log.ts'
import type { Model } from './model.ts'

// Otherwise the SDK prints them at each call, outside the log.
globalThis.AI_SDK_LOG_WARNINGS = false

const reported = new WeakMap<Model, Set<string>>()

/** Logs what the SDK changes in requests, such as the length of answers of a model that it does not know: once for each model. */
export function reportWarnings(log: Log, model: Model, warnings: readonly CallWarning[]): void {
  const said = reported.get(model) ?? new Set()
  reported.set(model, said)
  for (const warning of warnings) {
    const says = describe(warning)
    if (said.has(says)) continue
    said.add(says)
    log.warn({ provider: model.provider, model: model.name, says }, 'model.adjusted')
  }
}

function describe(warning: CallWarning): string {
  switch (warning.type) {
    case 'deprecated':
      return `${warning.setting}: ${warning.message}`
    case 'other':
      return warning.message
    default:
      return `${warning.feature}: ${warning.details ?? warning.type}`
  }
}
