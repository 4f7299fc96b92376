import { z } from 'zod'
import { thumbsShape } from '../chat/thumbs/contract.ts'
import { shownRequestShape } from '../connectors/contract.ts'
import { providerShape } from '../models/contract.ts'
import { connectorIdsShape } from '../shared/fields.ts'
import { sourceFields } from '../shared/source-fields.ts'

export const runStatusShape = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'])
export const runTriggerShape = z.enum(['webhook', 'schedule', 'watch', 'chat', 'replay', 'test', 'mcp'])
/** Instead of newest first, among runs that have ended; `-` is the highest first. */
export const runSortShape = z.enum(['cost', '-cost', 'duration', '-duration'])
export type RunSort = z.output<typeof runSortShape>

const toolCallShape = z.object({
  id: z.string(),
  tool: z.string(),
  connectorId: z.string().nullable(),
  toolId: z.string().nullable(),
  /** Which save of the tool was called; null if nobody has saved it. */
  revision: z.int().nullable(),
  input: z.unknown(),
  decision: z.string(),
  state: z.string(),
  /** Why it was refused. */
  reason: z.string().nullable(),
  /** What was sent, or will be after approval; secrets masked. */
  request: shownRequestShape.nullable(),
  response: z
    .object({ status: z.number().nullable(), contentType: z.string().nullable(), body: z.string() })
    .nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  warnings: z.array(z.string()),
  approvalId: z.string().nullable(),
  /** Who approved or denied it. */
  decidedBy: z.string().nullable(),
  startedAt: z.iso.datetime(),
  /** When the request was sent: until then it waited for a decision. Null if it was not. */
  sentAt: z.iso.datetime().nullable(),
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
  /** Which model answered: the run's, or its fallback. Null in steps from before it was recorded. */
  model: z.string().nullable(),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }),
  cost: z.number(),
  modelMs: z.number(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
})
export type StepShape = z.output<typeof stepShape>

const attemptShape = z.object({
  /** The step that it would have been. */
  seq: z.int(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  /** What went wrong, in the provider's words if it answered. */
  message: z.string(),
  /** Null if it was the last attempt. */
  retryAt: z.iso.datetime().nullable(),
})
export type AttemptShape = z.output<typeof attemptShape>

const spanShape = z.object({
  /**
   * `tool`: the request itself. `waiting`: for a decision. `retry`: a model call that failed. `pause`: before the next one.
   * `posting`: the reply, until it is in the channel.
   */
  kind: z.enum(['model', 'tool', 'waiting', 'retry', 'pause', 'posting']),
  /** Since the start of the run. */
  atMs: z.number(),
  /** Null while it lasts. */
  ms: z.number().nullable(),
})

const errorShape = z.object({ code: z.string(), message: z.string() })

export const runSummaryShape = z.object({
  id: z.string(),
  trigger: runTriggerShape,
  ...sourceFields,
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
  thumbs: thumbsShape,
  error: errorShape.nullable(),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }),
  cost: z.number(),
  /** For people, e.g. `Anthropic · claude-sonnet-4-5` or `offline (no language model)`. */
  model: z.string().nullable(),
  /** A dry run changes nothing outside and is not posted. */
  dryRun: z.boolean(),
  replayOf: z.string().nullable(),
  requestedBy: z.object({ kind: z.string(), id: z.string(), name: z.string() }).nullable(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  /** What the time of the run went to, in the order in which it began; at most 200. */
  spans: z.array(spanShape),
  /** The names of the tools it called, in the order of the first calls. */
  calledTools: z.array(z.string()),
  /** What it read, did and wrote was erased with its event. */
  erased: z.boolean(),
})
export type RunSummary = z.output<typeof runSummaryShape>

export const runShape = runSummaryShape.extend({
  /** The model provider was asked and has no answer yet, for example because of its rate limit: when it is asked again. */
  modelPause: z
    .object({
      failures: z.int(),
      /** Null: its provider is down, and the run goes on when the model answers again. */
      until: z.iso.datetime().nullable(),
    })
    .nullable(),
  /** The model was asked and has sent nothing for a while: since when, and when the call is given up and tried again. */
  modelSilence: z.object({ since: z.iso.datetime(), until: z.iso.datetime() }).nullable(),
  /** What it was started with: which save of its webhook or schedule, and which of the settings. Null before the first save. */
  revisions: z.object({ source: z.int().nullable(), settings: z.int().nullable() }),
  prompt: z.string(),
  /** The system prompt as the model got it. */
  system: z.string().nullable(),
  /** What it was told at the beginning of the turn: the time, who asks, what waits for a decision. */
  turnNote: z.string().nullable(),
  /** What it read of the thread that it was called into, if others began that thread. */
  threadContext: z
    .object({
      messages: z.array(
        z.object({
          author: z.object({ name: z.string(), kind: z.enum(['person', 'app', 'us']) }),
          text: z.string(),
          at: z.iso.datetime(),
        }),
      ),
      /** How many messages after the first did not fit. */
      leftOut: z.int(),
      /** Why the thread could not be read. */
      problem: z.string().nullable(),
    })
    .nullable(),
  tools: z.array(z.string()),
  steps: z.array(stepShape),
  /** Model calls that failed, the oldest first. */
  attempts: z.array(attemptShape),
  toolCalls: z.array(toolCallShape),
})
export type RunShape = z.output<typeof runShape>

/** A part of what the model was sent at the first step. */
const promptPartShape = z.object({
  name: z.enum(['system', 'tools', 'event', 'history', 'turn', 'request']),
  /** As a person reads it: delimiter lines included; tools as one line of JSON each. */
  text: z.string(),
  bytes: z.int(),
  /** Reckoned at four bytes each. Only the provider counts exactly, and only the whole: see the usage of the first step. */
  tokens: z.int(),
})
export type PromptPart = z.output<typeof promptPartShape>

export const promptShape = z.object({ parts: z.array(promptPartShape) })

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
    connectorIds: connectorIdsShape.optional(),
  })
  .default({})
export type ReplayRequest = z.output<typeof replayShape>

export const replayFailedShape = z.strictObject({
  /** The code of their error, e.g. `model_unavailable`. */
  failedWith: z.string().regex(/^[a-z_]{1,50}$/, 'Use the code of an error, for example model_unavailable.'),
  /** Runs that ended before are left alone. */
  since: z.coerce.date('Use a date and time such as 2026-11-18T09:00:00Z.'),
  webhookId: z.string().max(100).optional(),
  scheduleId: z.string().max(100).optional(),
})

export const replayedShape = z.object({
  runIds: z.array(z.string()),
  /** There are more: ask again. */
  more: z.boolean(),
})

export const outagesShape = z.object({
  items: z.array(
    z.object({
      model: z.string(),
      /** What the provider said last. */
      problem: z.string(),
      since: z.iso.datetime(),
      /** Since when events wait for it; null if they do not. */
      heldSince: z.iso.datetime().nullable(),
    }),
  ),
})
