import type { CallWarning } from 'ai'
import type { Log } from '../platform/log.ts'
import type { Model } from './model.ts'

/** Logs what the SDK changes in requests, such as the length of answers of a model that it does not know: once for each model. */
export function reportWarnings(log: Log, model: Model, warnings: readonly CallWarning[]): void {
  for (const warning of warnings) {
    const says = describe(warning)
    if (model.loggedWarnings.has(says)) continue
    model.loggedWarnings.add(says)
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
