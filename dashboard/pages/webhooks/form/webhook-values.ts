import type { Capability, Rule, Webhook } from '../../../contract.ts'
import type { ChosenModel } from '../../settings/model/model-choice.tsx'
import {
  noVerification,
  toVerificationBody,
  toVerificationValues,
  type VerificationValues,
} from '../verification/verification-values.ts'

/** The form's own shape: every field is present, so that a server error finds its field. */
export type WebhookValues = {
  name: string
  channelId: string
  prompt: string
  active: boolean
  ceiling: Capability
  /** Null: those of the channel. */
  connectorIds: string[] | null
  readsAcross: Webhook['readsAcross']
  verification: VerificationValues
  exposeHeaders: string[]
  limit: 'default' | 'own' | 'none'
  rateLimit: { perSecond: number | string; burst: number | string }
  allowSilence: boolean
  deliveryIdFrom: 'usual' | 'header' | 'pointer'
  deliveryId: { header: string; pointer: string }
  /** Null: the default. */
  maxBodyBytes: number | string | null
  model: ChosenModel
  fallbackModel: ChosenModel
  concurrency: number | string | null
  /** Null: no limit. */
  runsPerHour: number | string | null
  costPerDay: number | string | null
  rules: RuleValues[]
  /** Empty: every reply is a message of its own. */
  threadKey: string
  threadDays: number | string
  collects: boolean
  collect: { quietSeconds: number | string; maxSeconds: number | string }
}

export type RuleValues = {
  when: string
  then: Rule['then']
  text: string
  /** Empty: the webhook's own. */
  channelId: string
  prompt: string
  closes: boolean
}

export const newRule: RuleValues = {
  when: '',
  then: 'skip',
  text: '',
  channelId: '',
  prompt: '',
  closes: false,
}

export const newWebhook: WebhookValues = {
  name: '',
  channelId: '',
  prompt: '',
  active: true,
  ceiling: 'write',
  connectorIds: null,
  readsAcross: 'all',
  verification: noVerification,
  exposeHeaders: [],
  limit: 'default',
  rateLimit: { perSecond: 10, burst: 100 },
  allowSilence: false,
  deliveryIdFrom: 'usual',
  deliveryId: { header: '', pointer: '' },
  maxBodyBytes: 1_048_576,
  model: { provider: null, name: '' },
  fallbackModel: { provider: null, name: '' },
  concurrency: 4,
  runsPerHour: null,
  costPerDay: null,
  rules: [],
  threadKey: '',
  threadDays: 7,
  collects: false,
  collect: { quietSeconds: 30, maxSeconds: 300 },
}

/** What a new webhook is created with in any case. */
const always = [
  'name',
  'channelId',
  'prompt',
  'active',
  'connectorIds',
  'exposeHeaders',
  'allowSilence',
] as const

export function toValues(webhook: Webhook): WebhookValues {
  const { deliveryId } = webhook
  return {
    name: webhook.name,
    channelId: webhook.channelId,
    prompt: webhook.prompt,
    active: webhook.active,
    ceiling: webhook.ceiling,
    connectorIds: webhook.connectorIds,
    readsAcross: webhook.readsAcross,
    verification: toVerificationValues(webhook.verification),
    exposeHeaders: webhook.exposeHeaders,
    limit: webhook.rateLimit === null ? 'none' : 'own',
    rateLimit: webhook.rateLimit ?? newWebhook.rateLimit,
    allowSilence: webhook.allowSilence,
    deliveryIdFrom: deliveryId === null ? 'usual' : 'header' in deliveryId ? 'header' : 'pointer',
    deliveryId: { ...newWebhook.deliveryId, ...deliveryId },
    maxBodyBytes: webhook.maxBodyBytes,
    model: webhook.model ?? newWebhook.model,
    fallbackModel: webhook.fallbackModel ?? newWebhook.fallbackModel,
    concurrency: webhook.concurrency,
    runsPerHour: webhook.runsPerHour,
    costPerDay: webhook.costPerDay,
    rules: webhook.rules.map((rule) => ({ ...newRule, ...rule })),
    threadKey: webhook.threadKey ?? '',
    threadDays: webhook.threadDays,
    collects: webhook.collect !== null,
    collect: webhook.collect ?? newWebhook.collect,
  }
}

/**
 * The body to send. What is unchanged is left out: somebody else may have changed it meanwhile, and some of it only an admin may
 * set.
 */
export function toBody(values: WebhookValues, before: WebhookValues | null): Record<string, unknown> {
  const changed = (name: keyof WebhookValues) =>
    JSON.stringify(values[name]) !== JSON.stringify((before ?? newWebhook)[name])
  const body: Record<string, unknown> = {}
  for (const name of always) if (before === null || changed(name)) body[name] = values[name]
  if ('name' in body) body.name = values.name.trim()
  if (changed('ceiling')) body.ceiling = values.ceiling
  if (changed('readsAcross')) body.readsAcross = values.readsAcross
  if (changed('limit') || changed('rateLimit')) {
    if (values.limit === 'none') body.rateLimit = null
    else if (values.limit === 'own')
      body.rateLimit = {
        perSecond: Number(values.rateLimit.perSecond),
        burst: Number(values.rateLimit.burst),
      }
  }
  for (const name of ['concurrency', 'maxBodyBytes', 'runsPerHour', 'costPerDay'] as const) {
    if (changed(name)) body[name] = values[name] === null ? null : Number(values[name])
  }
  if (changed('deliveryId') || changed('deliveryIdFrom')) body.deliveryId = deliveryIdBody(values)
  for (const name of ['model', 'fallbackModel'] as const) {
    if (changed(name)) body[name] = values[name].provider === null ? null : values[name]
  }
  const byRules = toRulesBody(values)
  if (changed('rules')) body.rules = byRules.rules
  if (changed('threadKey')) body.threadKey = byRules.threadKey
  if (changed('threadDays')) body.threadDays = Number(values.threadDays)
  if (changed('collects') || (values.collects && changed('collect'))) body.collect = byRules.collect
  if (changed('verification')) body.verification = toVerificationBody(values.verification, before !== null)
  return body
}

/** What decides about events, also for a preview. Fields that a rule's outcome does not use are left out. */
export function toRulesBody({ rules, threadKey, collects, collect }: WebhookValues) {
  return {
    rules: rules.map(({ when, then, text, channelId, prompt, closes }) => ({
      when: when.trim(),
      then,
      ...(then === 'notify' ? { text } : {}),
      ...(then === 'run' && channelId !== '' ? { channelId } : {}),
      ...(then === 'run' && prompt.trim() !== '' ? { prompt } : {}),
      ...(closes ? { closes } : {}),
    })),
    threadKey: threadKey.trim() || null,
    collect: collects
      ? { quietSeconds: Number(collect.quietSeconds), maxSeconds: Number(collect.maxSeconds) }
      : null,
  }
}

function deliveryIdBody({ deliveryIdFrom, deliveryId }: WebhookValues): Record<string, string> | null {
  if (deliveryIdFrom === 'usual') return null
  return deliveryIdFrom === 'header'
    ? { header: deliveryId.header.trim() }
    : { pointer: deliveryId.pointer.trim() }
}

export const withoutSecrets = (values: WebhookValues): WebhookValues => ({
  ...values,
  verification: { ...values.verification, secrets: ['', ''] },
})
