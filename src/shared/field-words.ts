import { wordsOf } from '../../../src/shared/words-of.ts'
import { capitalize } from '../../ui/text/capitalize.ts'

/** Where the name of a field in the API is not what the forms call it. */
const labels: Record<string, string> = {
  channelId: 'Channel',
  ceiling: 'Maximum permission',
  connectorIds: 'Connectors',
  readsAcross: 'Reading across connectors',
  exposeHeaders: 'Headers for the agent',
  deliveryId: 'Delivery ID',
  maxBodyBytes: 'Largest body',
  concurrency: 'Concurrent runs',
  allowSilence: 'Optional replies',
  costPerDay: 'Cost per day',
  when: 'Condition',
  then: 'Decision',
  for: 'Applies to',
  until: 'Valid until',
  hash: 'Definition from the server',
}

/** `limits.stepsPerRun` → `Limits: steps per run`. */
export function fieldWords(field: string): string {
  const [name = '', ...inside] = field.split('.')
  const words = labels[name] ?? capitalize(wordsOf(name).join(' '))
  return inside.length === 0 ? words : `${words}: ${wordsOf(inside.join('.')).join(' ')}`
}
