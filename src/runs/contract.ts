import { z } from 'zod'

export const providerShape = z.enum(['anthropic', 'openai', 'google', 'openai-compatible', 'offline'])

// ── runs ──

export const runStatusShape = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'])
const runTriggerShape = z.enum(['webhook', 'chat', 'replay', 'test', 'mcp'])

const requestShape = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
})

const toolCallShape = z.object({
  id: z.string(),
  tool: z.string(),
  connectorId: z.string().nullable(),
  input: z.unknown(),
  decision: z.string(),
  state: z.string(),
  /** Why it was refused. */
  reason: z.string().nullable(),
  /** What was sent, or will be after approval; secrets masked. */
  request: requestShape.nullable(),
  response: z
    .object({ status: z.number().nullable(), contentType: z.string().nullable(), body: z.string() })
    .nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  warnings: z.array(z.string()),
  approvalId: z.string().nullable(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
})
export type ToolCallShape = z.output<typeof toolCallShape>

const stepShape = z.object({
  seq: z.number(),
  /** What the model wrote in this step. */
  text: z.string(),
  /** The tool calls the model asked for; details are in `toolCalls`. */
  calls: z.array(
    z.object({ id: z.string(), tool: z.string(), input: z.unknown(), result: z.string().nullable() }),
  ),
  finishReason: z.string(),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }),
  cost: z.number(),
  modelMs: z.number(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
})
export type StepShape = z.output<typeof stepShape>

const errorShape = z.object({ code: z.string(), message: z.string() })

export const runSummaryShape = z.object({
  id: z.string(),
  trigger: runTriggerShape,
  webhookId: z.string().nullable(),
  /** Its current name; null once it is deleted. */
  webhookName: z.string().nullable(),
  eventId: z.string().nullable(),
  channelId: z.string().nullable(),
  /** For example `#orders`; null for a direct conversation or a deleted channel. */
  channelName: z.string().nullable(),
  threadId: z.string().nullable(),
  status: runStatusShape,
  reply: z
    .object({
      text: z.string(),
      /** `withheld`: belongs to a dry run, or could not be posted; then `error` says why. */
      state: z.enum(['pending', 'posted', 'withheld']),
      messageId: z.string().nullable(),
      permalink: z.string().nullable(),
    })
    .nullable(),
  error: errorShape.nullable(),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }),
  cost: z.number(),
  /** For people, e.g. `anthropic claude-sonnet` or `offline (no language model)`. */
  model: z.string().nullable(),
  /** A dry run changes nothing outside and is not posted. */
  dryRun: z.boolean(),
  replayOf: z.string().nullable(),
  requestedBy: z.object({ kind: z.string(), id: z.string(), name: z.string() }).nullable(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  /** What it read, did and wrote was erased with its event. */
  erased: z.boolean(),
})
export type RunSummary = z.output<typeof runSummaryShape>

export const runShape = runSummaryShape.extend({
  /** The model provider was asked and has no answer yet, for example because of its rate limit: when it is asked again. */
  modelPause: z.object({ failures: z.int(), until: z.iso.datetime() }).nullable(),
  prompt: z.string(),
  /** The system prompt as the model got it. */
  system: z.string().nullable(),
  tools: z.array(z.string()),
  steps: z.array(stepShape),
  toolCalls: z.array(toolCallShape),
})
export type RunShape = z.output<typeof runShape>

export const replayShape = z
  .strictObject({
    /** True: change nothing outside, post nothing. The default if a draft prompt, model or tool set is given. */
    dryRun: z.boolean().optional(),
    /** Where a dry run reads: from the tools themselves (the default), or from what the original run got for the same call. */
    reads: z.enum(['real', 'recorded']).optional(),
    prompt: z.string().min(1).max(20_000).optional(),
    model: z
      .strictObject({
        provider: providerShape,
        name: z.string().max(200).default(''),
      })
      .optional(),
    /** The connectors whose tools it is offered; null means every connector. */
    connectorIds: z
      .array(z.templateLiteral(['con_', z.string().max(60)]))
      .max(500)
      .nullable()
      .optional(),
  })
  .default({})
export type ReplayRequest = z.output<typeof replayShape>

// ── settings ──

function wholeNumber(min: number, max: number) {
  const words = `Use a whole number from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`
  return z.int(words).min(min, words).max(max, words)
}

/** The JSON functions of PostgreSQL, with which the dispatcher reads the settings, fail at U+0000 and at half a surrogate pair. */
function text(max: number) {
  return z
    .string()
    .max(max)
    .refine((value) => !value.includes('\0'), 'The character U+0000 is not allowed.')
    .overwrite((value) => value.toWellFormed())
}

const price = z.number('Use a number.').min(0, 'Use 0 or more.')

const priceShape = z.strictObject({
  input: price,
  output: price,
  cacheRead: price.optional(),
  cacheWrite: price.optional(),
})

/** Enough for every currency. The cost of a run stays a number then, whatever it uses. */
const mostPerMillion = 1_000_000_000
const newPrice = price.max(mostPerMillion, `Use ${mostPerMillion.toLocaleString('en')} at most.`)

const newPriceShape = z.strictObject({
  input: newPrice,
  output: newPrice,
  cacheRead: newPrice.optional(),
  cacheWrite: newPrice.optional(),
})

export const agentSettingsShape = z.strictObject({
  /** The name above its messages. People address it as @bellhop, and in the built-in workspace by this name too. */
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(80)
    .regex(/^\P{Cc}*$/u, 'must be one line')
    .overwrite((name) => name.toWellFormed()),
  /** Accept and keep events, but start no runs and call no tools. */
  paused: z.boolean(),
  /** For every run, before the webhook's own prompt. */
  instructions: z.string().max(20_000),
})

export const limitsShape = z.strictObject({
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

export const pricesShape = z.record(z.string().min(1).max(200), priceShape)

const modelFields = {
  provider: providerShape,
  name: text(200),
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).nullable(),
  /** The size of its context window; null uses what is known of the model. */
  contextTokens: wholeNumber(1000, 10_000_000).nullable(),
}

export const settingsShape = z.object({
  agent: agentSettingsShape,
  model: z.object({
    ...modelFields,
    apiKey: z.object({ set: z.boolean() }),
    /** Where the choice comes from. */
    source: z.enum(['settings', 'environment', 'default']),
    label: z.string(),
  }),
  limits: limitsShape,
  retention: retentionShape,
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
  /** Absent is kept, null is cleared. */
  apiKey: apiKey.nullable().optional(),
})
export type ModelPatch = z.output<typeof modelPatchShape>

const { name, paused } = agentSettingsShape.shape
const { stepsPerRun, workSecondsPerRun, tokensPerRun, costPerRun, approvalSeconds } = limitsShape.shape
const { days, messageDays, auditDays } = retentionShape.shape

/**
 * A merge patch: absent fields stay as they are, null returns a field or a group to its default. Where null is a value of its own
 * (no limit, forever), it is that value. `model: null` returns to the environment's model or the offline agent.
 */
export const settingsPatchShape = z.strictObject({
  agent: z
    .strictObject({
      name: name.nullable(),
      paused: paused.nullable(),
      instructions: text(20_000).nullable(),
    })
    .partial()
    .nullable()
    .optional(),
  model: modelPatchShape.nullable().optional(),
  limits: z
    .strictObject({
      stepsPerRun: stepsPerRun.nullable(),
      workSecondsPerRun: workSecondsPerRun.nullable(),
      tokensPerRun: tokensPerRun.nullable(),
      costPerRun,
      approvalSeconds: approvalSeconds.nullable(),
    })
    .partial()
    .nullable()
    .optional(),
  retention: z
    .strictObject({ days: days.nullable(), messageDays, auditDays })
    .partial()
    .nullable()
    .optional(),
  prices: z.record(text(200).min(1), newPriceShape.nullable()).nullable().optional(),
})
export type SettingsPatch = z.output<typeof settingsPatchShape>

/** Absent fields are taken from the settings, so that a key need not be typed again. */
export const modelTestShape = modelPatchShape

export const modelTestResultShape = z.object({
  ok: z.boolean(),
  model: z.string(),
  /** The model's answer. */
  answer: z.string().nullable(),
  timeMs: z.number(),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }).nullable(),
  problem: z.string().nullable(),
})
