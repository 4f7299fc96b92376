import type { Capability, Rule, Webhook } from '../../../contract.ts'
import { changedOnly } from '../../../ui/forms/changed-only.ts'
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

/** The body to send. What is unchanged is left out: some of it only an admin may set. */
export function toBody(values: WebhookValues, before: WebhookValues | null): Record<string, unknown> {
  const write = (of: WebhookValues) => {
    const { limit, rateLimit, deliveryIdFrom: _, collects: _collects, model, fallbackModel, ...rest } = of
    return {
      ...rest,
      ...toRulesBody(of),
      name: of.name.trim(),
      verification: toVerificationBody(of.verification, before !== null),
      rateLimit: { default: undefined, none: null, own: numbersIn(rateLimit) }[limit],
      deliveryId: deliveryIdBody(of),
      ...numbersIn({
        concurrency: of.concurrency,
        maxBodyBytes: of.maxBodyBytes,
        runsPerHour: of.runsPerHour,
        costPerDay: of.costPerDay,
        threadDays: of.threadDays,
      }),
      model: model.provider === null ? null : model,
      fallbackModel: fallbackModel.provider === null ? null : fallbackModel,
    }
  }
  return changedOnly(write(values), write(before ?? newWebhook), before ? [] : always)
}

/** An input gives a number, or what was typed so far. */
function numbersIn(fields: Record<string, number | string | null>): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === null ? null : Number(value)]),
  )
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
    collect: collects ? numbersIn(collect) : null,
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
