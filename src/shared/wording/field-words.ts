import { wordsOf } from './words-of.ts'

/** Where the name of a field in the API is not what the forms call it. */
const labels: Record<string, string> = {
  channelId: 'channel',
  ceiling: 'maximum permission',
  connectorIds: 'connectors',
  readsAcross: 'reading across connectors',
  exposeHeaders: 'headers for the agent',
  deliveryId: 'delivery ID',
  maxBodyBytes: 'largest body',
  concurrency: 'concurrent runs',
  allowSilence: 'optional replies',
  costPerDay: 'cost per day',
  baseUrl: 'base URL',
  when: 'condition',
  then: 'decision',
  for: 'applies to',
  until: 'valid until',
  hash: 'definition from the server',
}

/** In the middle of a sentence: `limits.stepsPerRun` → `limits: steps per run`. */
export function fieldWords(field: string): string {
  const [name = '', ...inside] = field.split('.')
  const words = labels[name] ?? wordsOf(name).join(' ')
  return inside.length === 0 ? words : `${words}: ${wordsOf(inside.join('.')).join(' ')}`
}
