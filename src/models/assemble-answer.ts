import { isObject } from '../platform/json/is-object.ts'
import { parseExactJson } from '../platform/json/parse-exact-json.ts'
import { boundJson } from './bound-json.ts'
import type { ProviderName } from './model.ts'

type Json = Record<string, unknown>

/** Collects the events of a streamed answer. */
export type Assembler = {
  add(event: Json): void
  /** The answer as the provider would have sent it without streaming; null if the stream broke off before its end. */
  finish(): Json | null
}

export type StreamingProvider = Exclude<ProviderName, 'offline'>

export function openAssembler(provider: StreamingProvider): Assembler {
  switch (provider) {
    case 'anthropic':
      return assembleMessage()
    case 'openai':
      return assembleResponse()
    case 'google':
      return assembleContent()
    case 'openai-compatible':
      return assembleCompletion()
    default:
      throw new Error(`Unhandled provider ${provider satisfies never}`)
  }
}

/** Anthropic, Messages: the blocks of the answer one after the other, each in pieces. */
function assembleMessage(): Assembler {
  let message: Json = {}
  const blocks: { block: Json; input: string }[] = []
  let whole: Json | null = null
  return {
    add(event) {
      const at = blocks[Number(event.index)]
      switch (event.type) {
        case 'message_start':
          if (isObject(event.message)) message = event.message
          break
        case 'content_block_start':
          if (isObject(event.content_block)) blocks[blocks.length] = { block: event.content_block, input: '' }
          break
        case 'content_block_delta':
          if (at && isObject(event.delta)) addDelta(at, event.delta)
          break
        case 'message_delta':
          message = {
            ...message,
            ...objectOf(event.delta),
            usage: { ...objectOf(message.usage), ...objectOf(event.usage) },
          }
          break
        case 'message_stop':
          whole = { ...message, content: blocks.map(({ block, input }) => withInput(block, input)) }
          break
        case 'error':
          whole = event
          break
      }
    },
    finish: () => whole,
  }
}

function addDelta(at: { block: Json; input: string }, { type, ...delta }: Json): void {
  if (type === 'input_json_delta') at.input += String(delta.partial_json ?? '')
  else if (type === 'citations_delta') return
  else at.block = joinTexts(at.block, delta)
}

/** An input that breaks off stays text, so that nobody takes it for a whole one. */
function withInput(block: Json, input: string): Json {
  return input === '' ? block : { ...block, input: parseExactJson(boundJson(input)) ?? input }
}

/** OpenAI, Responses: the last event has the whole answer. */
function assembleResponse(): Assembler {
  let whole: Json | null = null
  return {
    add({ type, response, ...event }) {
      if (type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed')
        whole = objectOf(response)
      else if (type === 'error') whole = { error: isObject(event.error) ? event.error : event }
    },
    finish: () => whole,
  }
}

/** Google, generateContent: each event is an answer with some more parts. */
function assembleContent(): Assembler {
  let answer: Json = {}
  let candidate: Json = {}
  const parts: Json[] = []
  return {
    add(event) {
      answer = { ...answer, ...event }
      const next = Array.isArray(event.candidates) ? objectOf(event.candidates[0]) : {}
      candidate = { ...candidate, ...next }
      const added = objectOf(next.content).parts
      for (const part of Array.isArray(added) ? added : []) if (isObject(part)) addPart(parts, part)
    },
    finish() {
      if (answer.error !== undefined) return { error: answer.error }
      if (candidate.finishReason === undefined) return answer.promptFeedback === undefined ? null : answer
      return { ...answer, candidates: [{ ...candidate, content: { role: 'model', parts } }] }
    },
  }
}

/** Pieces of one text are one text. A signature ends it, and thoughts are a text of their own. */
function addPart(parts: Json[], part: Json): void {
  const last = parts.at(-1)
  const continues =
    last !== undefined &&
    typeof last.text === 'string' &&
    typeof part.text === 'string' &&
    last.thoughtSignature === undefined &&
    last.thought === part.thought
  if (continues) parts[parts.length - 1] = { ...last, ...part, text: `${last.text}${part.text}` }
  else parts.push(part)
}

/** Chat Completions: pieces of one message. */
function assembleCompletion(): Assembler {
  let completion: Json = {}
  let choice: Json = {}
  let message: Json = { role: 'assistant', content: null }
  const calls: Json[] = []
  return {
    add({ choices, usage, ...event }) {
      // Most servers count in the last event, some in every one.
      completion = { ...completion, ...event, ...(isObject(usage) ? { usage } : {}) }
      const next = Array.isArray(choices) ? choices[0] : undefined
      if (!isObject(next)) return
      const { delta, finish_reason, ...rest } = next
      choice = { ...choice, ...rest, ...(finish_reason ? { finish_reason } : {}) }
      const { tool_calls, ...texts } = objectOf(delta)
      message = joinTexts(message, texts)
      for (const call of Array.isArray(tool_calls) ? tool_calls : []) if (isObject(call)) addCall(calls, call)
    },
    finish() {
      if (completion.error !== undefined && choice.finish_reason === undefined)
        return { error: completion.error }
      if (choice.finish_reason === undefined) return null
      const called = calls.length > 0 ? { tool_calls: calls.map(({ index, ...call }) => call) } : {}
      return { ...completion, choices: [{ index: 0, ...choice, message: { ...message, ...called } }] }
    },
  }
}

/** Some servers number all calls with 0, or none; then a new id begins a new call. */
function addCall(calls: Json[], piece: Json): void {
  const { index = calls.length - 1, id } = piece
  const at = calls.findLastIndex((call) => call.index === index)
  const known = calls[at]
  const isNew = !known || (Boolean(id) && Boolean(known.id) && id !== known.id)
  if (isNew) {
    calls.push({ ...piece, index: piece.index ?? calls.length })
    return
  }
  const [before, added] = [objectOf(known.function), objectOf(piece.function)]
  const name = before.name || added.name
  const text =
    typeof added.arguments === 'string' ? `${before.arguments ?? ''}${added.arguments}` : added.arguments
  calls[at] = {
    ...known,
    ...piece,
    id: known.id || id,
    index,
    function: { ...before, ...added, name, arguments: text ?? before.arguments },
  }
}

/** Texts are continued; anything else is replaced. */
function joinTexts(before: Json, added: Json): Json {
  const joined = { ...before }
  for (const [name, value] of Object.entries(added)) {
    if (value === null || value === undefined) continue
    const known = before[name]
    joined[name] =
      name !== 'role' && typeof value === 'string' && typeof known === 'string' ? known + value : value
  }
  return joined
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {}
}
