import type { Ceiling, Webhook } from '../../contract.ts'
import type { ChosenModel } from '../settings/model-choice.tsx'

/** The form's own shape: every field is there, so that a server error finds its place. */
export type WebhookValues = {
  name: string
  channelId: string
  prompt: string
  active: boolean
  ceiling: Ceiling
  /** Empty means those of the channel. */
  connectorIds: string[]
  verification: VerificationValues
  exposeHeaders: string[]
  limit: 'default' | 'own' | 'none'
  rateLimit: { perSecond: number | string; burst: number | string }
  allowSilence: boolean
  deliveryIdFrom: 'usual' | 'header' | 'pointer'
  deliveryId: { header: string; pointer: string }
  maxBodyBytes: number | string
  model: ChosenModel
  concurrency: number | string
  runsPerHour: number | string
  costPerDay: number | string
}

type VerificationValues = {
  preset: string
  secrets: string[]
  header: string
  algorithm: string
  keyEncoding: string
  encoding: string
  prefix: string
  listKey: string
  template: string
  timestampHeader: string
  timestampListKey: string
  timestampPointer: string
  timestampUnit: string
  toleranceSeconds: number | string
}

const noVerification: VerificationValues = {
  preset: '',
  secrets: ['', ''],
  header: '',
  algorithm: 'hmac-sha256',
  keyEncoding: 'utf-8',
  encoding: 'hex',
  prefix: '',
  listKey: '',
  template: '{body}',
  timestampHeader: '',
  timestampListKey: '',
  timestampPointer: '',
  timestampUnit: 's',
  toleranceSeconds: 300,
}

export const newWebhook: WebhookValues = {
  name: '',
  channelId: '',
  prompt: '',
  active: true,
  ceiling: 'write',
  connectorIds: [],
  verification: noVerification,
  exposeHeaders: [],
  limit: 'default',
  rateLimit: { perSecond: 10, burst: 100 },
  allowSilence: false,
  deliveryIdFrom: 'usual',
  deliveryId: { header: '', pointer: '' },
  maxBodyBytes: 1_048_576,
  model: { provider: null, name: '' },
  concurrency: 4,
  runsPerHour: '',
  costPerDay: '',
}

export function toValues(webhook: Webhook): WebhookValues {
  const { verification, deliveryId } = webhook
  return {
    name: webhook.name,
    channelId: webhook.channelId,
    prompt: webhook.prompt,
    active: webhook.active,
    ceiling: webhook.ceiling,
    connectorIds: webhook.connectorIds ?? [],
    verification: verification
      ? { ...noVerification, ...pickKnown(verification), secrets: ['', ''] }
      : noVerification,
    exposeHeaders: webhook.exposeHeaders,
    limit: webhook.rateLimit === null ? 'none' : 'own',
    rateLimit: webhook.rateLimit ?? newWebhook.rateLimit,
    allowSilence: webhook.allowSilence,
    deliveryIdFrom: deliveryId === null ? 'usual' : 'header' in deliveryId ? 'header' : 'pointer',
    deliveryId: { ...newWebhook.deliveryId, ...deliveryId },
    maxBodyBytes: webhook.maxBodyBytes,
    model: webhook.model ?? newWebhook.model,
    concurrency: webhook.concurrency,
    runsPerHour: webhook.runsPerHour ?? '',
    costPerDay: webhook.costPerDay ?? '',
  }
}

/** What is sent. Fields that only an admin may set are left out when they are as they were. */
export function toBody(values: WebhookValues, before: WebhookValues | null): Record<string, unknown> {
  const body: Record<string, unknown> = {
    name: values.name.trim(),
    channelId: values.channelId,
    prompt: values.prompt,
    active: values.active,
    connectorIds: values.connectorIds.length === 0 ? null : values.connectorIds,
    exposeHeaders: values.exposeHeaders,
    allowSilence: values.allowSilence,
  }
  const changed = (name: keyof WebhookValues) =>
    JSON.stringify(values[name]) !== JSON.stringify((before ?? newWebhook)[name])
  if (changed('ceiling')) body.ceiling = values.ceiling
  if (changed('limit') || changed('rateLimit')) {
    if (values.limit === 'none') body.rateLimit = null
    else if (values.limit === 'own')
      body.rateLimit = {
        perSecond: Number(values.rateLimit.perSecond),
        burst: Number(values.rateLimit.burst),
      }
  }
  for (const name of ['concurrency', 'maxBodyBytes', 'runsPerHour', 'costPerDay'] as const) {
    if (changed(name)) body[name] = values[name] === '' ? null : Number(values[name])
  }
  if (changed('deliveryId') || changed('deliveryIdFrom')) body.deliveryId = deliveryIdBody(values)
  if (changed('model')) body.model = values.model.provider === null ? null : values.model
  if (changed('verification')) body.verification = verificationBody(values.verification, before !== null)
  return body
}

function deliveryIdBody({ deliveryIdFrom, deliveryId }: WebhookValues): Record<string, string> | null {
  if (deliveryIdFrom === 'usual') return null
  return deliveryIdFrom === 'header'
    ? { header: deliveryId.header.trim() }
    : { pointer: deliveryId.pointer.trim() }
}

/** In a patch, a field that was emptied is cleared; in a new webhook it is left out. */
function verificationBody(values: VerificationValues, isPatch: boolean): Record<string, unknown> | null {
  if (values.preset === '') return null
  const secrets = values.secrets.map((secret) => secret.trim()).filter((secret) => secret !== '')
  const filled = (names: readonly (keyof VerificationValues)[]) =>
    Object.fromEntries(
      names
        .map((name) => [name, values[name] === '' ? null : values[name]] as const)
        .filter(([, value]) => isPatch || value !== null),
    )
  const common = { preset: values.preset, ...(secrets.length > 0 ? { secrets } : {}) }
  if (values.preset === 'shared_secret') return { ...common, ...filled(['header', 'prefix']) }
  if (values.preset === 'grafana') return { ...common, ...filled(['header', 'timestampHeader']) }
  if (values.preset !== 'generic') return common
  const hasTime = [values.timestampHeader, values.timestampListKey, values.timestampPointer].some(Boolean)
  return {
    ...common,
    ...filled(['header', 'prefix', 'listKey', 'timestampHeader', 'timestampListKey', 'timestampPointer']),
    algorithm: values.algorithm,
    keyEncoding: values.keyEncoding,
    encoding: values.encoding,
    ...(values.algorithm === 'equality' ? {} : { template: values.template }),
    ...(hasTime
      ? { timestampUnit: values.timestampUnit, toleranceSeconds: Number(values.toleranceSeconds) }
      : {}),
  }
}

/** Only the fields the form has; whatever else the server tells stays with the server. */
function pickKnown(verification: Record<string, unknown>): Partial<VerificationValues> {
  const known = Object.keys(noVerification).filter((name) => name !== 'secrets')
  const entries = Object.entries(verification).filter(
    ([name, value]) => known.includes(name) && value !== null,
  )
  return Object.fromEntries(entries) as Partial<VerificationValues> // names are checked above, types by the contract
}

export const withoutSecrets = (values: WebhookValues): WebhookValues => ({
  ...values,
  verification: { ...values.verification, secrets: ['', ''] },
})
