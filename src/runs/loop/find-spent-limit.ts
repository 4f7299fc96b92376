import type { SettingsValues } from '../../settings/open-settings.ts'
import type { Step } from './journal.ts'

type Spent = {
  code: 'steps_exceeded' | 'time_exceeded' | 'tokens_exceeded' | 'cost_exceeded'
  message: string
}

/** Which limit the run has reached. Time spent waiting for people does not count. */
export function findSpentLimit(
  steps: readonly Step[],
  workMs: number,
  { stepsPerRun, workSecondsPerRun, tokensPerRun, costPerRun }: SettingsValues['limits'],
): Spent | null {
  const tokens = steps.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0)
  if (steps.length >= stepsPerRun) {
    return { code: 'steps_exceeded', message: `The run took ${steps.length} steps, which is the limit.` }
  }
  if (workMs >= workSecondsPerRun * 1000) {
    return {
      code: 'time_exceeded',
      message: `The run worked for ${workSecondsPerRun} s, which is the limit.`,
    }
  }
  if (tokens >= tokensPerRun) {
    return {
      code: 'tokens_exceeded',
      message: `The run used ${tokens} tokens; the limit is ${tokensPerRun}.`,
    }
  }
  const cost = steps.reduce((sum, { usage }) => sum + usage.cost, 0)
  if (costPerRun !== null && cost >= costPerRun) {
    return { code: 'cost_exceeded', message: `The run cost ${cost.toFixed(4)}; the limit is ${costPerRun}.` }
  }
  return null
}
