import { isObject } from '../platform/json/is-object.ts'
import { parseExactJson } from '../platform/json/parse-exact-json.ts'
import { repairUsage } from './repair-usage.ts'

type Fetch = typeof globalThis.fetch
type Json = Record<string, unknown>

/**
 * Servers that imitate a provider's API sometimes answer in ways that the SDK cannot read: an error with status 200, a tool input as
 * an object, or none at all, token counts that are no numbers. Such answers are rewritten to what the provider would have sent.
 */
export function repairAnswers(ask: Fetch): Fetch {
  return async (url, init) => {
    const response = await ask(url, init)
    if (response.status !== 200) return response
    const { headers } = response
    const text = await response.text()
    const document = parseExactJson(text)
    if (!isObject(document)) return new Response(text, { headers })
    const error = failureIn(document)
    if (error) return new Response(JSON.stringify({ error }), { status: statusOf(error), headers })
    return new Response(JSON.stringify(repairUsage(repairChoices(document))), { headers })
  }
}

/**
 * OpenRouter and OpenAI's Responses API put it at the top level, OpenRouter also beside an answer that was cut off. vLLM only says
 * that it stopped in the middle.
 */
function failureIn(document: Json): Json | null {
  const [choice] = listOf(document.choices)
  if (isObject(choice) && (choice.finish_reason === 'error' || choice.finish_reason === 'abort'))
    return isObject(choice.error) ? choice.error : { message: 'The answer broke off.' }
  if (choice !== undefined || document.error === undefined || document.error === null) return null
  return isObject(document.error) ? document.error : { message: String(document.error) }
}

function statusOf({ code }: Json): number {
  if (Number.isInteger(code) && Number(code) >= 400 && Number(code) < 600) return Number(code)
  if (code === 'rate_limit_exceeded') return 429
  return typeof code === 'string' && /^(invalid|context_length)/.test(code) ? 400 : 502
}

function repairChoices(document: Json): Json {
  const [choice] = listOf(document.choices)
  if (!isObject(choice) || !isObject(choice.message)) return document
  const { message } = choice
  const calls = listOf(message.tool_calls)
  if (calls.every(isPlain)) return document
  return { ...document, choices: [{ ...choice, message: { ...message, tool_calls: calls.map(repairCall) } }] }
}

function isPlain(call: unknown): boolean {
  return isObject(call) && isObject(call.function) && typeof call.function.arguments === 'string'
}

function repairCall(call: unknown): unknown {
  if (!isObject(call) || !isObject(call.function)) return call
  const { arguments: input } = call.function
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  return { ...call, function: { ...call.function, arguments: text } }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
