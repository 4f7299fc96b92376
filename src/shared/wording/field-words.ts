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
  url: 'URL',
  authType: 'authentication',
  authName: 'name of the authentication header or parameter',
  authValue: 'authentication secret',
  oauth: 'OAuth settings',
  defaultHeaders: 'headers',
  timeoutMs: 'timeout',
  signRequests: 'signing of approved requests',
  locale: 'dates and numbers',
  when: 'condition',
  then: 'decision',
  for: 'applies to',
  until: 'valid until',
  hash: 'definition from the server',
}

/** The fields that have the word in their label, which their names do not say. */
export function fieldsLabelled(word: string): string[] {
  return Object.keys(labels).filter((field) => labels[field]?.toLowerCase().includes(word.toLowerCase()))
}

/** In the middle of a sentence: `limits.stepsPerRun` → `limits: steps per run`. */
export function fieldWords(field: string): string {
  const [name = '', ...inside] = field.split('.')
  const words = labels[name] ?? wordsOf(name).join(' ')
  return inside.length === 0 ? words : `${words}: ${wordsOf(inside.join('.')).join(' ')}`
}
