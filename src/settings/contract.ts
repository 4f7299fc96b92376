import { z } from 'zod'
import { newPriceShape, pricesShape, providerShape } from '../models/contract.ts'
import { storableText, wholeNumber } from '../shared/fields.ts'
import { isTimeZone } from '../shared/is-time-zone.ts'

export const agentSettingsShape = z.strictObject({
  /** The name above its messages. People address it as @bellhop, and in the built-in workspace by this name too. */
  name: z
    .string()
    .trim()
    .min(1, 'Enter a name.')
    .max(80)
    .regex(/^\P{Cc}*$/u, 'Use a single line.')
    .overwrite((name) => name.toWellFormed()),
  /** Accept and keep events, but start no runs and call no tools. */
  paused: z.boolean(),
  /** Why Bellhop paused the agent by itself; null if a person did, or it is not paused. */
  pauseReason: z.string().nullable(),
  /** For every run, before the webhook's own prompt. */
  instructions: z.string().max(20_000),
})

export const limitsShape = z.strictObject({
  /** How many runs of events one worker process works on at once; twice as many processes do twice as many. */
  activeRuns: wholeNumber(1, 1000),
  /** The same for runs that people start in the chat. */
  chatRuns: wholeNumber(1, 1000),
  /** A model call without a byte for so long is given up and tried again. */
  modelSilenceSeconds: wholeNumber(1, 3600),
  stepsPerRun: wholeNumber(1, 200),
  workSecondsPerRun: wholeNumber(10, 3600),
  tokensPerRun: wholeNumber(1000, 100_000_000),
  /** In the currency of the price table; null is no limit. */
  costPerRun: z.number('Use a number.').positive('Allow more than 0.').nullable(),
  approvalSeconds: wholeNumber(60, 30 * 86_400),
})

export const retentionShape = z.strictObject({
  /** Events and runs. */
  days: wholeNumber(1, 3650),
  /** Messages, which are kept at least as long as runs; null keeps them forever. */
  messageDays: wholeNumber(1, 3650).nullable(),
  /** The audit log; null keeps it forever. At least a quarter, so that nobody can erase their traces sooner. */
  auditDays: wholeNumber(90, 3650).nullable(),
})

export const approvalSettingsShape = z.strictObject({
  /** Also where groups approve. Denying is always open to admins. */
  adminsMayApprove: z.boolean(),
})

const modelFields = {
  provider: providerShape,
  name: storableText(200),
  baseUrl: z.url({ protocol: /^https?$/, error: 'Enter an http or https URL.' }).nullable(),
  /** The size of its context window; null uses what is known of the model. */
  contextTokens: wholeNumber(1000, 10_000_000).nullable(),
  /** The most tokens of one answer; null uses what is known of the model. */
  maxOutputTokens: wholeNumber(100, 1_000_000).nullable(),
}

const shownModel = {
  ...modelFields,
  apiKey: z.object({ set: z.boolean() }),
  label: z.string(),
}

export const settingsShape = z.object({
  agent: agentSettingsShape,
  model: z.object({
    ...shownModel,
    /** Where the choice comes from. */
    source: z.enum(['settings', 'environment', 'default']),
  }),
  /** Asked when the first model cannot answer for a reason that passes. */
  fallbackModel: z.object(shownModel).nullable(),
  limits: limitsShape,
  retention: retentionShape,
  approvals: approvalSettingsShape,
  /** Of the agent's dates and times: an IANA name such as Europe/Berlin. The server's, unless it is set. */
  timeZone: z.string(),
  /** Per million tokens, by prefix of the model's name; these rows override the shipped ones. */
  prices: pricesShape,
})
export type SettingsShape = z.output<typeof settingsShape>

/** It is sent in a header. Of any other, the HTTP client complains with the whole key in its message. */
const apiKey = z
  .string()
  .trim()
  .min(1)
  .max(4000)
  .regex(/^[ -~]*$/, 'A key has no line breaks and only ASCII characters. Copy it again.')

/** The path of each request is put behind it. */
const isBase = (url: string) => !/[?#]/.test(url)
const baseWords = 'The address has no query (?…) and no fragment (#…).'

const modelPatchShape = z.strictObject({
  provider: modelFields.provider.optional(),
  name: modelFields.name.optional(),
  baseUrl: modelFields.baseUrl.unwrap().refine(isBase, baseWords).nullable().optional(),
  contextTokens: modelFields.contextTokens.optional(),
  maxOutputTokens: modelFields.maxOutputTokens.optional(),
  /** Absent is kept, null is cleared. */
  apiKey: apiKey.nullable().optional(),
})
export type ModelPatch = z.output<typeof modelPatchShape>

const timeZoneShape = z
  .string()
  .max(100)
  .refine(isTimeZone, 'This is not the name of a time zone. Use an IANA name such as Europe/Berlin or UTC.')

const { name, paused } = agentSettingsShape.shape
const { costPerRun, ...limits } = limitsShape.shape
const { days, messageDays, auditDays } = retentionShape.shape

/**
 * A merge patch: absent fields stay as they are, null returns a field or a group to its default. Where null is a value of its own
 * (no limit, forever), it is that value. `model: null` returns to the environment's model or the offline agent, `fallbackModel: null`
 * to none.
 */
export const settingsPatchShape = z.strictObject({
  agent: z
    .strictObject({
      name: name.nullable(),
      paused: paused.nullable(),
      instructions: storableText(20_000).nullable(),
    })
    .partial()
    .nullable()
    .optional(),
  model: modelPatchShape.nullable().optional(),
  fallbackModel: modelPatchShape.nullable().optional(),
  limits: z
    .strictObject({
      activeRuns: limits.activeRuns.nullable(),
      chatRuns: limits.chatRuns.nullable(),
      modelSilenceSeconds: limits.modelSilenceSeconds.nullable(),
      stepsPerRun: limits.stepsPerRun.nullable(),
      workSecondsPerRun: limits.workSecondsPerRun.nullable(),
      tokensPerRun: limits.tokensPerRun.nullable(),
      costPerRun,
      approvalSeconds: limits.approvalSeconds.nullable(),
    })
    .partial()
    .nullable()
    .optional(),
  retention: z
    .strictObject({ days: days.nullable(), messageDays, auditDays })
    .partial()
    .nullable()
    .optional(),
  approvals: z.strictObject({ adminsMayApprove: z.boolean().nullable() }).partial().nullable().optional(),
  timeZone: timeZoneShape.nullable().optional(),
  prices: z.record(storableText(200).min(1), newPriceShape.nullable()).nullable().optional(),
})
export type SettingsPatch = z.output<typeof settingsPatchShape>

/** Absent fields are taken from the settings, so that a key need not be typed again. */
export const modelTestShape = modelPatchShape.extend({
  of: z.enum(['model', 'fallbackModel']).default('model'),
})

export const modelTestResultShape = z.object({
  ok: z.boolean(),
  model: z.string(),
  /** The model's answer. */
  answer: z.string().nullable(),
  timeMs: z.number(),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }).nullable(),
  problem: z.string().nullable(),
})
