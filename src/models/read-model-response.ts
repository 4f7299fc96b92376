import { isObject } from '../platform/json/is-object.ts'
import { isRawNumber, parseExactJson } from '../platform/json/parse-exact-json.ts'
import type { Secret } from '../platform/secret.ts'
import { boundJson } from './bound-json.ts'
import type { NumberPreserver } from './preserve-numbers.ts'

type Fetch = typeof globalThis.fetch
type Json = Record<string, unknown>
type Fix = (document: Json) => Json

/**
 * Reads each response of a provider once, before the SDK does: masks the key, bounds what is parsed, and applies the fixes for
 * what the SDK could not read or would change. What the SDK reads well is left to it.
 */
export function readModelResponses(ask: Fetch, apiKey: Secret | null, numbers: NumberPreserver): Fetch {
  const fixes: Fix[] = [writeInputsAsText, extractThinkTags, keepTokenCounts, packNumbers(numbers)]
  return async (url, init) => {
    const response = await ask(url, init)
    if (response.body === null) return response
    const { status, statusText, headers } = response
    const text = maskKey(await response.text(), apiKey)
    if (status !== 200) return new Response(text, { status, statusText, headers })
    const document = parseExactJson(boundJson(text))
    if (!isObject(document)) return new Response(text, { headers })
    const failure = findFailure(document)
    if (failure) return Response.json({ error: failure }, { status: statusOf(failure), headers })
    return Response.json(
      fixes.reduce((fixed, fix) => fix(fixed), document),
      { headers },
    )
  }
}

/** A shorter key would match ordinary text. */
const shortestKey = 8

/** Some servers repeat the key they refuse, and everybody who may see the run sees the provider's message. */
function maskKey(text: string, apiKey: Secret | null): string {
  const key = apiKey?.reveal() ?? ''
  return key.length < shortestKey ? text : text.replaceAll(key, '[masked credential]')
}

/**
 * A failure with status 200. OpenRouter and OpenAI's Responses API put it at the top level, OpenRouter also beside an answer that
 * was cut off. vLLM only says that it stopped in the middle.
 */
function findFailure({ choices, error }: Json): Json | null {
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  if (isObject(choice) && (choice.finish_reason === 'error' || choice.finish_reason === 'abort'))
    return isObject(choice.error) ? choice.error : { message: 'The answer broke off.' }
  if (choice !== undefined || error === undefined || error === null) return null
  return isObject(error) ? error : { message: String(error) }
}

function statusOf({ code }: Json): number {
  if (Number.isInteger(code) && Number(code) >= 400 && Number(code) < 600) return Number(code)
  if (code === 'rate_limit_exceeded') return 429
  return typeof code === 'string' && /^(invalid|context_length)/.test(code) ? 400 : 502
}

/** Servers that imitate Chat Completions sometimes send a call's input as an object, or none at all. */
function writeInputsAsText(document: Json): Json {
  return changeAt(document, 'choices.*.message.tool_calls.*.function', (call) =>
    isObject(call) && typeof call.arguments !== 'string'
      ? { ...call, arguments: JSON.stringify(call.arguments ?? {}) }
      : call,
  )
}

/** At the beginning of a text; without an end if the model reached its limit while it thought. */
const thoughts = /^\s*<think>([\s\S]*?)(?:<\/think>|$)/

/**
 * A server that does not know its model's format (vLLM without a reasoning parser) leaves what the model thought in the text. The
 * SDK's own middleware would also take out what is quoted further down, and leaves thoughts without an end in the text.
 */
function extractThinkTags(document: Json): Json {
  return changeAt(document, 'choices.*.message', (message) => {
    const text = isObject(message) && typeof message.content === 'string' ? message.content : ''
    const found = thoughts.exec(text)
    if (!isObject(message) || !found) return message
    const content = text.slice(found[0].length).trimStart()
    return { ...message, reasoning_content: message.reasoning_content || found[1], content }
  })
}

/**
 * Some servers send counts that are no numbers, or none: an answer is paid for, so it is not lost for that. Without the two that
 * are added, the SDK reads nothing of an answer of Anthropic's Messages or OpenAI's Responses.
 */
function keepTokenCounts(document: Json): Json {
  const { type, usage, usageMetadata } = document
  const needed = { input_tokens: 0, output_tokens: 0 }
  return {
    ...document,
    ...(usage === undefined && type !== 'message' ? {} : { usage: { ...needed, ...countsIn(usage) } }),
    ...(usageMetadata === undefined ? {} : { usageMetadata: countsIn(usageMetadata) }),
  }
}

function countsIn(usage: unknown): Json {
  if (!isObject(usage)) return {}
  return Object.fromEntries(
    Object.entries(usage).flatMap(([name, value]) => {
      const count = isRawNumber(value) ? Number(value.rawJSON) : value
      if (isObject(count)) return [[name, countsIn(count)]]
      return Number.isFinite(count) ? [[name, count]] : []
    }),
  )
}

/** Every provider: the SDK would round long numbers in the input of a tool. */
function packNumbers({ pack, packText }: NumberPreserver): Fix {
  const packBounded = (input: unknown) => (typeof input === 'string' ? packText(boundJson(input)) : input)
  const inputs: [path: string, change: (input: unknown) => unknown][] = [
    ['content.*.input', pack], // Anthropic
    ['candidates.*.content.parts.*.functionCall.args', pack], // Google
    ['output.*.arguments', packBounded], // OpenAI
    ['choices.*.message.tool_calls.*.function.arguments', packBounded], // OpenAI-compatible
  ]
  return (document) => inputs.reduce((packed, [path, change]) => changeAt(packed, path, change), document)
}

/** A copy with another value at a path; `*` stands for every item of a list. What has no such path stays as it is. */
function changeAt(document: Json, path: string, change: (value: unknown) => unknown): Json {
  const descend = (value: unknown, [key, ...rest]: string[]): unknown => {
    if (key === undefined) return change(value)
    if (key === '*') return Array.isArray(value) ? value.map((item) => descend(item, rest)) : value
    return isObject(value) && key in value ? { ...value, [key]: descend(value[key], rest) } : value
  }
  return descend(document, path.split('.')) as Json // a copy of an object is an object
}
