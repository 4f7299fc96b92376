import { APICallError, generateText, type ModelMessage, type ToolSet as SdkTools } from 'ai'
import type { Model } from '../../../models/model.ts'
import type { OfflineInput } from '../../../models/offline-model.ts'
import { type PriceTable, priceOf } from '../../../models/prices.ts'
import { reportWarnings } from '../../../models/report-warnings.ts'
import { parseExactJson } from '../../../platform/json/parse-exact-json.ts'
import type { Log } from '../../../platform/log.ts'
import { newId } from '../../../shared/ids.ts'
import type { RunMetrics } from '../../run-metrics.ts'
import type { RequestedCall, Step, Usage } from '../journal.ts'
import { watchSilence } from './watch-silence.ts'

type Context = { log: Log; metrics: RunMetrics; now: () => Date }

type StepQuestion = {
  model: Model
  system: string
  messages: ModelMessage[]
  tools: SdkTools
  seq: number
  prices: PriceTable
  signal: AbortSignal
  /** A call without a byte for so long is given up. */
  silenceMs: number
  /** The model has sent nothing since then, for half of that time; null when it is heard again. */
  onSilent(since: Date | null): void
  /** For the offline agent, which cannot read messages; no provider sees it. */
  offline: OfflineInput
}

/** One call of the model. It decides and changes nothing: the answer is a value. Throws what the provider throws. */
export async function callModel(ctx: Context, question: StepQuestion): Promise<Step> {
  const startedAt = ctx.now()
  const clock = performance.now()
  const { provider, name, unpack } = question.model
  using silence = watchSilence({ ...question, now: ctx.now })
  const signal = AbortSignal.any([question.signal, silence.signal])
  try {
    const answer = await question.model.listen(silence.heard, () => askSafely({ ...question, signal }))
    const modelMs = performance.now() - clock
    ctx.metrics.modelCalls.observe({ provider, outcome: 'answered' }, modelMs / 1000)
    reportWarnings(ctx.log, question.model, answer.warnings ?? [])
    return {
      seq: question.seq,
      answer: unpack(answer.response.messages.filter((message) => message.role === 'assistant')),
      calls: answer.toolCalls
        .filter((call) => !call.providerExecuted)
        .map((call, index, all) =>
          toRequestedCall({ ...call, input: unpack(call.input) }, index, {
            isCutOff: answer.finishReason === 'length' && index === all.length - 1,
          }),
        ),
      results: null,
      finishReason: answer.finishReason,
      model: { provider, name },
      usage: toUsage(answer.usage, name, question.prices),
      modelMs,
      startedAt,
      endedAt: ctx.now(),
    }
  } catch (error) {
    ctx.metrics.modelCalls.observe({ provider, outcome: 'failed' }, (performance.now() - clock) / 1000)
    throw silence.signal.aborted ? silence.signal.reason : nameTool(error, Object.keys(question.tools))
  }
}

/** Anthropic and Google identify a refused schema by the tool's index, so the error is given the tool's name. */
function nameTool(error: unknown, names: readonly string[]): unknown {
  if (!APICallError.isInstance(error) || error.statusCode !== 400) return error
  const number = /\b(?:tools\.|function_declarations\[)(\d+)/.exec(error.message)?.[1]
  const name = number === undefined ? undefined : names[Number(number)]
  if (name === undefined) return error
  const { url, requestBodyValues, statusCode, responseBody, data } = error
  const message = `The tool ${name} is refused: ${error.message}`
  return new APICallError({ message, url, requestBodyValues, statusCode, responseBody, data })
}

/** Everything is sent as it is. Only if the provider refuses it, what providers are known to refuse is made safe. */
async function askSafely(question: StepQuestion) {
  try {
    return await ask(question)
  } catch (error) {
    if (!APICallError.isInstance(error) || error.statusCode !== 400) throw error
    const messages = makeSafe(question.messages)
    const isTooLong = longDescription.test(error.message)
    if (messages === null && !isTooLong) throw error
    const tools = isTooLong ? shorten(question.tools) : question.tools
    return await ask({ ...question, tools, messages: messages ?? question.messages })
  }
}

/** OpenAI: "Invalid 'tools[3].description': string too long. Expected a string with maximum length 1024 …" */
const longDescription = /tools\[\d+\]\S*description\S* string too long/
const longestDescription = 1024

function shorten(tools: SdkTools): SdkTools {
  return Object.fromEntries(
    Object.entries(tools).map(([name, one]) => [
      name,
      typeof one.description === 'string'
        ? { ...one, description: one.description.slice(0, longestDescription).toWellFormed() }
        : one,
    ]),
  )
}

function ask({ model, system, messages, tools, signal, offline }: StepQuestion) {
  const { cacheMark } = model
  return generateText({
    model: model.language,
    instructions: { role: 'system', content: system, ...(cacheMark ? { providerOptions: cacheMark } : {}) },
    messages: cacheMark ? markLast(messages, cacheMark) : messages,
    tools,
    maxRetries: 0,
    ...(model.maxOutputTokens === null ? {} : { maxOutputTokens: model.maxOutputTokens }),
    abortSignal: signal,
    providerOptions: { ...model.callOptions, ...(model.provider === 'offline' ? { offline } : {}) },
  })
}

/** The provider caches everything up to the mark, so the next step pays only for what is new. */
function markLast(messages: ModelMessage[], mark: NonNullable<Model['cacheMark']>): ModelMessage[] {
  const last = messages.at(-1)
  return last ? [...messages.slice(0, -1), { ...last, providerOptions: mark }] : messages
}

type SdkCall = {
  toolCallId: string
  toolName: string
  input: unknown
  invalid?: boolean
  error?: unknown
}

/** A model that calls thousands of tools at once would flood an API, or the admins with approvals. */
const maxCalls = 32

function toRequestedCall(call: SdkCall, index: number, { isCutOff }: { isCutOff: boolean }): RequestedCall {
  return {
    callId: newId('toolCall'),
    providerId: call.toolCallId,
    name: call.toolName,
    input: call.input,
    // It may look complete: some providers close what was left open.
    fault: isCutOff ? cutOff : faultOf(call, index),
  }
}

const cutOff =
  'Your answer reached its limit before this call was complete, so it was not made. Ask for it again, with a shorter input.'

/** An unknown name is not a fault yet: with many tools, the model may know one that is not shown. */
function faultOf({ invalid, input }: SdkCall, index: number): string | null {
  if (index >= maxCalls) {
    return `At most ${maxCalls} tools can be called at once, so this call was not made. Ask for it in the next step.`
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

const maxTokens = 2 ** 31 - 1

/** Some servers report fractions, negative or impossible numbers. A step with such a number could not be saved. */
function countOf(tokens: number | undefined): number {
  return Math.min(Math.max(Math.trunc(tokens || 0), 0), maxTokens)
}

function toUsage(usage: SdkUsage, modelName: string, prices: PriceTable): Usage {
  const inputTokens = countOf(usage.inputTokens)
  const outputTokens = countOf(usage.outputTokens)
  const cost = priceOf(
    {
      input: inputTokens,
      output: outputTokens,
      cacheRead: countOf(usage.inputTokenDetails.cacheReadTokens),
      cacheWrite: countOf(usage.inputTokenDetails.cacheWriteTokens),
    },
    modelName,
    prices,
  )
  return { inputTokens, outputTokens, cost }
}

/** Replaces NUL and lone surrogates. Null if there are none. */
function makeSafe(messages: ModelMessage[]): ModelMessage[] | null {
  let found = false
  const safe = parseExactJson(JSON.stringify(messages), (value) => {
    if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value
    found = true
    return value.toWellFormed().replaceAll('\0', '\u2400')
  }) as ModelMessage[] // the same messages with other characters in their texts
  return found ? safe : null
}
