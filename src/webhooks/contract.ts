import { z } from 'zod'
import { capabilities } from '../connectors/contract.ts'
import { defaultThreadDays, ruleFields } from '../events/rules/contract.ts'
import { providerShape } from '../models/contract.ts'
import { connectorIdsShape, storableText, wholeNumber } from '../shared/fields.ts'
import { idPattern } from '../shared/ids.ts'
import { readsAcrossValues } from '../shared/scope.ts'

// ── verification ──

export const presetNames = [
  'standard_webhooks',
  'svix',
  'github',
  'gitlab',
  'stripe',
  'slack',
  'shopify',
  'linear',
  'twilio',
  'pagerduty',
  'sentry',
  'grafana',
  'zendesk',
  'hubspot',
  'intercom',
  'jira',
  'bitbucket',
  'discord',
  'shared_secret',
  'generic',
] as const
export type PresetName = (typeof presetNames)[number]

export const algorithms = ['hmac-sha1', 'hmac-sha256', 'hmac-sha512', 'ed25519', 'equality'] as const
export const keyEncodings = ['utf-8', 'base64', 'hex'] as const
export const signatureEncodings = ['hex', 'hex-upper', 'base64', 'base64url'] as const
export const timestampUnits = ['s', 'ms', 'iso'] as const

const headerNameShape = z
  .string()
  .max(100, 'A header name has 100 characters at most.')
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'A header name has letters, digits and - only.')

const pointerShape = z
  .string()
  .max(200, 'A pointer has 200 characters at most.')
  .regex(/^(\/([^~/]|~[01])*)+$/, 'A JSON pointer looks like /event/id.')

/** What the operator configures. Fields other than `preset` and `secrets` apply if the preset leaves them open. */
export const verificationSettings = z.strictObject({
  preset: z.enum(presetNames),
  algorithm: z.enum(algorithms).optional(),
  keyEncoding: z.enum(keyEncodings).optional(),
  header: headerNameShape.optional(),
  prefix: z.string().max(100, 'Use 100 characters at most.').optional(),
  /** Set if the header is a list such as `t=1,v1=abc`: the key of the signatures. */
  listKey: z.string().min(1).max(40, 'Use 40 characters at most.').optional(),
  encoding: z.enum(signatureEncodings).optional(),
  template: z
    .string()
    .min(1, 'Write what is signed, for example {body}.')
    .max(500, 'Use 500 characters at most.')
    .optional(),
  timestampHeader: headerNameShape.optional(),
  timestampListKey: z.string().min(1).max(40, 'Use 40 characters at most.').optional(),
  timestampPointer: pointerShape.optional(),
  timestampUnit: z.enum(timestampUnits).optional(),
  toleranceSeconds: wholeNumber(1, 86_400, 'seconds').optional(),
})
export type VerificationSettings = z.output<typeof verificationSettings>

const secretsShape = z
  .array(z.string().min(1, 'A secret cannot be empty.').max(2000))
  .min(1, 'At least one secret is needed.')
  .max(2, 'Use two secrets at most.')

const newVerification = verificationSettings.extend({ secrets: secretsShape })
/** A merge patch: absent fields stay, `null` clears. Another preset starts from its defaults, with the secrets kept. */
const verificationPatch = z.strictObject({
  ...Object.fromEntries(
    Object.entries(verificationSettings.shape).map(([name, shape]) => [name, shape.nullable().optional()]),
  ),
  secrets: secretsShape.optional(),
})

/** The answer never contains the secrets. */
const verificationShape = verificationSettings.extend({
  /** Not set: one of them cannot be decrypted, because its encryption key is gone, and must be entered again. */
  secrets: z.object({ set: z.boolean(), count: z.int() }),
})

// ── webhooks ──

const webhookIdShape = z.templateLiteral(['hook_', z.string()])

/** One event a day. The database counts lower ones as this: the time until the next event must fit into an answer. */
const lowestPerSecond = 1 / 86_400

const rateLimitShape = z.strictObject({
  perSecond: z
    .number('Use a number.')
    .min(lowestPerSecond, 'Allow one event a day or more, which is 0.0000116 per second.')
    .max(100_000, 'Use 100000 at most.'),
  burst: z
    .int('Use a whole number.')
    .min(1, 'Allow a burst of 1 or more.')
    .max(1_000_000, 'Use 1000000 at most.'),
})
export type RateLimit = z.output<typeof rateLimitShape>
export const defaultRateLimit: RateLimit = { perSecond: 10, burst: 100 }
export const defaultConcurrency = 4
const defaultMaxBodyBytes = 1024 * 1024

const deliveryIdShape = z.union(
  [z.strictObject({ header: headerNameShape }), z.strictObject({ pointer: pointerShape })],
  'Set where the id is: {"header": "X-Event-Id"} or {"pointer": "/event/id"}.',
)
export type DeliveryIdSource = z.output<typeof deliveryIdShape>

export const modelShape = z
  .strictObject({
    // Not the shape itself: what was stored before may be any text.
    provider: storableText(100).refine(
      (provider) => providerShape.safeParse(provider).success,
      `Use one of ${providerShape.options.join(', ')}.`,
    ),
    name: storableText(200),
  })
  .refine(({ provider, name }) => provider === 'offline' || name.trim() !== '', {
    path: ['name'],
    error: 'Enter the model name exactly as the provider writes it.',
  })

export const channelIdShape = z
  .templateLiteral(['chan_', z.string()], 'Choose the channel that the reply is posted to.')
  .refine((id) => idPattern('channel').test(id), 'There is no such channel.')

export const costPerDayShape = z.number('Use a number.').positive('Allow more than 0 dollars.').nullable()

const fields = {
  name: storableText(200).trim().min(1, 'Give the webhook a name.'),
  channelId: channelIdShape,
  prompt: storableText(20_000).min(1, 'Tell the agent what to do with an event.'),
  active: z.boolean(),
  ceiling: z.enum(capabilities),
  /** Null means those of its channel. */
  connectorIds: connectorIdsShape,
  /** `one`: once a run has read from one connector, a call of another one asks an admin. */
  readsAcross: z.enum(readsAcrossValues),
  exposeHeaders: z.array(headerNameShape).max(50),
  /** Null means unlimited. */
  rateLimit: rateLimitShape.nullable(),
  allowSilence: z.boolean(),
  deliveryId: deliveryIdShape.nullable(),
  maxBodyBytes: wholeNumber(1, 16 * 1024 * 1024, 'bytes'),
  /** How many of its runs may be active at once; null is the default. */
  concurrency: wholeNumber(1, 1000, 'runs').nullable(),
  model: modelShape.nullable(),
  /** Asked when the model cannot answer for a reason that passes; null is the fallback in the settings. */
  fallbackModel: modelShape.nullable(),
  runsPerHour: z
    .int('Use a whole number.')
    .min(1, 'Allow 1 run or more.')
    .max(1_000_000, 'Use 1000000 at most.')
    .nullable(),
  costPerDay: costPerDayShape,
  ...ruleFields,
}

export const newWebhook = z.strictObject({
  ...fields,
  active: fields.active.default(true),
  ceiling: fields.ceiling.default('write'),
  connectorIds: fields.connectorIds.default(null),
  readsAcross: fields.readsAcross.default('all'),
  exposeHeaders: fields.exposeHeaders.default([]),
  rateLimit: fields.rateLimit.default(defaultRateLimit),
  allowSilence: fields.allowSilence.default(false),
  deliveryId: fields.deliveryId.default(null),
  maxBodyBytes: fields.maxBodyBytes.default(defaultMaxBodyBytes),
  concurrency: fields.concurrency.default(null),
  model: fields.model.default(null),
  fallbackModel: fields.fallbackModel.default(null),
  runsPerHour: fields.runsPerHour.default(null),
  costPerDay: fields.costPerDay.default(null),
  rules: fields.rules.default([]),
  threadKey: fields.threadKey.default(null),
  threadDays: fields.threadDays.default(defaultThreadDays),
  collect: fields.collect.default(null),
  verification: newVerification.nullable().default(null),
})
export type NewWebhook = z.output<typeof newWebhook>

/** For a field that is always set, null restores the default. */
export function nullIs<T>(fallback: T, shape: z.ZodType<T>) {
  return shape
    .nullable()
    .transform((value) => value ?? fallback)
    .optional()
}

/** A merge patch (RFC 7396). `paused: false` resumes after a budget was spent. */
export const webhookPatch = z.strictObject({
  ...z.strictObject(fields).partial().shape,
  ceiling: nullIs('write', fields.ceiling),
  readsAcross: nullIs('all', fields.readsAcross),
  exposeHeaders: nullIs([], fields.exposeHeaders),
  allowSilence: nullIs(false, fields.allowSilence),
  maxBodyBytes: nullIs(defaultMaxBodyBytes, fields.maxBodyBytes),
  rules: nullIs([], fields.rules),
  threadDays: nullIs(defaultThreadDays, fields.threadDays),
  verification: verificationPatch.nullable().optional(),
  paused: z
    .literal(false, 'Only false is allowed: it resumes a webhook that its budget has paused.')
    .optional(),
})
export type WebhookPatch = z.output<typeof webhookPatch>

const formerUrl = z.object({
  endpointUrl: z.string(),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
  lastUsedFrom: z.string().nullable(),
})

export const webhookShape = z.object({
  id: webhookIdShape,
  ...fields,
  channelId: z.string(),
  /** For example `#orders`; null once it is deleted. */
  channelName: z.string().nullable(),
  connectorIds: z.array(z.string()).nullable(),
  concurrency: z.int(),
  /** Complete on create and rotate, otherwise masked. */
  endpointUrl: z.string(),
  /** URLs that still work after a rotation, with their last use. */
  formerUrls: z.array(formerUrl),
  verification: verificationShape.nullable(),
  paused: z.boolean(),
  pauseReason: z.string().nullable(),
  /** Events wait because as many runs are at work as `concurrency` allows. */
  concurrencyReached: z.boolean(),
  accepted: z.int(),
  refused: z.int(),
  lastEventAt: z.iso.datetime().nullable(),
  lastRefusedAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type WebhookShape = z.output<typeof webhookShape>

/** As in a list, with what it did in the last 24 hours, including the current one. */
export const listedWebhookShape = webhookShape.extend({
  last24Hours: z.object({ events: z.int(), succeeded: z.int(), failed: z.int() }),
})
export type ListedWebhook = z.output<typeof listedWebhookShape>
const sortKeys = ['name', 'state', 'lastEvent', 'channel', 'events', 'success'] as const
/** By trouble: what is paused first, then what fails most. The others upwards; with `-` downwards. What has no value comes last. */
export const webhookSortShape = z.enum(['trouble', ...sortKeys.flatMap((key) => [key, `-${key}`] as const)])
export type WebhookSort = z.output<typeof webhookSortShape>

export const refusalShape = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  status: z.int(),
  /** The problem's type, as the sender got it. */
  problem: z.string(),
  /** For the operator: why, and what to do. */
  reason: z.string(),
  source: z.string(),
  headers: z.record(z.string(), z.string()),
  contentType: z.string().nullable(),
  sizeBytes: z.int().nullable(),
  /** Its request is still kept, so its body can be read and it can be checked again. */
  requestKept: z.boolean(),
})

export const shownRefusalShape = refusalShape.extend({
  /** The first 2,048 bytes, as text. Nobody has proved who wrote them. */
  body: z.string().nullable(),
})

export const refusalCheckShape = z.object({
  passes: z.boolean(),
  /** For the operator: why it does not pass, and what to do. */
  reason: z.string().nullable(),
})

export const snippetShape = z.object({ name: z.string(), language: z.string(), text: z.string() })
