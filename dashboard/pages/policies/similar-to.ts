import { conditionPath } from '../../../src/shared/condition-path.ts'
import type { Approval } from '../../contract.ts'
import { toLocal } from '../../ui/forms/date-time-input.tsx'
import { newPolicy, type PolicyValues } from './policy-values.ts'

const days = 7

/** A policy for calls like this one: the same inputs, numbers as upper bounds, for a week. The admin widens it on purpose. */
export function similarTo({ tool, input, requestedBy }: Approval, now: Date): PolicyValues {
  const inputs =
    typeof input === 'object' && input !== null && !Array.isArray(input) ? Object.entries(input) : []
  const until = new Date(now.getTime() + days * 24 * 3_600_000)
  until.setSeconds(0, 0)
  const isWebhook = requestedBy.kind === 'webhook'
  return {
    ...newPolicy,
    name: `Like ${tool.replace(/^.*?__/, '').replaceAll('_', ' ')}`,
    tool,
    when: inputs.map(([name, value]) => termFor(name, value)).join(' && ') || 'true',
    for: {
      ...newPolicy.for,
      requesters: isWebhook ? [] : ['person'],
      webhookIds: isWebhook ? [requestedBy.id] : [],
    },
    until: toLocal(until.toISOString()),
  }
}

function termFor(name: string, value: unknown): string {
  const at = conditionPath('input', name)
  if (typeof value === 'number') return value < 0 ? `${at} == ${value}` : `${at} >= 0 && ${at} <= ${value}`
  return `${at} == ${JSON.stringify(value)}`
}
