import { APICallError, generateText, type ModelMessage, type ToolSet as SdkTools } from 'ai'
import { newId } from '../ids.ts'
import { parseExactJson } from '../platform/json/parse-exact-json.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { AskedTool, Step, Usage } from './journal.ts'
import type { Model } from './models/model.ts'
import type { OfflineBrief } from './models/offline-model.ts'
import { type PriceTable, priceOf } from './models/prices.ts'

type Context = { metrics: Metrics; now: () => Date }

export type StepQuestion = {
  model: Model
  system: string
  messages: ModelMessage[]
  tools: SdkTools
  seq: number
  prices: PriceTable
  signal: AbortSignal
  /** What the offline agent cannot read out of messages; no provider sees it. */
  brief: OfflineBrief
}

/** One call of the model. It decides nothing and changes nothing: the answer is a value. Throws what the provider throws. */
export async function takeStep(ctx: Context, question: StepQuestion): Promise<Step> {
  const startedAt = ctx.now()
  const clock = performance.now()
  const { provider, name, unpack } = question.model
  try {
    const answer = await askSafely(question)
    const modelMs = performance.now() - clock
    ctx.metrics.modelCalls.observe({ provider, outcome: 'answered' }, modelMs / 1000)
    return {
      seq: question.seq,
      answer: unpack(answer.response.messages.filter((message) => message.role === 'assistant')),
      calls: answer.toolCalls
        .filter((call) => !call.providerExecuted)
        .map((call, index) => toAskedTool({ ...call, input: unpack(call.input) }, index)),
      results: null,
      finishReason: answer.finishReason,
      usage: toUsage(answer.usage, name, question.prices),
      modelMs,
      startedAt,
      endedAt: ctx.now(),
    }
  } catch (error) {
    ctx.metrics.modelCalls.observe({ provider, outcome: 'failed' }, (performance.now() - clock) / 1000)
    throw error
  }
}

/** Text goes out as it is. Only if the provider refuses it, what providers are known to refuse is made safe. */
async function askSafely(question: StepQuestion) {
  try {
    return await ask(question, question.messages)
  } catch (error) {
    if (!APICallError.isInstance(error) || error.statusCode !== 400) throw error
    const safe = makeSafe(question.messages)
    if (safe === null) throw error
    return await ask(question, safe)
  }
}

function ask({ model, system, tools, signal, brief }: StepQuestion, messages: ModelMessage[]) {
  const { cacheMark } = model
  return generateText({
    model: model.language,
    instructions: { role: 'system', content: system, ...(cacheMark ? { providerOptions: cacheMark } : {}) },
    messages: cacheMark ? markLast(messages, cacheMark) : messages,
    tools,
    maxRetries: 0,
    abortSignal: signal,
    providerOptions: { ...model.callOptions, ...(model.provider === 'offline' ? { offline: brief } : {}) },
  })
}

/** Everything up to the mark is remembered by the provider, so the next step pays for what is new. */
function markLast(messages: ModelMessage[], mark: NonNullable<Model['cacheMark']>): ModelMessage[] {
  const last = messages.at(-1)
  return last ? [...messages.slice(0, -1), { ...last, providerOptions: mark }] : messages
}

type SdkCall = {
  toolCallId: string
  toolName: string
  input: unknown
  invalid?: boolean | undefined
  error?: unknown
}

/** A model that asks for thousands of things at once would flood an API, or the admins with questions. */
const callsAtMost = 32

function toAskedTool(call: SdkCall, index: number): AskedTool {
  return {
    callId: newId('toolCall'),
    providerId: call.toolCallId,
    name: call.toolName,
    input: call.input,
    fault: faultOf(call, index),
  }
}

/** An unknown name is not a fault yet: with many tools the model may know one that is not shown. */
function faultOf({ invalid, input }: SdkCall, index: number): string | null {
  if (index >= callsAtMost) {
    return `At most ${callsAtMost} tools can be called at once, so this call was not made. Ask for it in the next step.`
  }
  return invalid && typeof input === 'string'
    ? 'The input is not valid JSON. Send a JSON object that fits the input schema of the tool.'
    : null
}

type SdkUsage = {
  inputTokens: number | undefined
  outputTokens: number | undefined
  inputTokenDetails: { cacheReadTokens: number | undefined; cacheWriteTokens: number | undefined }
}

function toUsage(usage: SdkUsage, modelName: string, prices: PriceTable): Usage {
  const inputTokens = usage.inputTokens ?? 0
  const outputTokens = usage.outputTokens ?? 0
  const cost = priceOf(
    {
      input: inputTokens,
      output: outputTokens,
      cacheRead: usage.inputTokenDetails.cacheReadTokens ?? 0,
      cacheWrite: usage.inputTokenDetails.cacheWriteTokens ?? 0,
    },
    modelName,
    prices,
  )
  return { inputTokens, outputTokens, cost }
}

/** NUL and half surrogate pairs. Null if there is nothing of the kind. */
function makeSafe(messages: ModelMessage[]): ModelMessage[] | null {
  let found = false
  const safe = parseExactJson(JSON.stringify(messages), (value) => {
    if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value
    found = true
    return value.toWellFormed().replaceAll('\0', '\u2400')
  }) as ModelMessage[] // the same messages with other characters in their texts
  return found ? safe : null
}
