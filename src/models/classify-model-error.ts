import { APICallError } from 'ai'
import { asError } from '../platform/as-error.ts'
import { findEgressError } from '../platform/egress/egress-error.ts'
import { isObject } from '../platform/json/is-object.ts'
import { parseJson } from '../platform/json/parse-json.ts'

/** What a failed model call means for the run. */
type ModelVerdict =
  | { kind: 'retry'; afterMs: number | null; isRateLimit: boolean; message: string }
  | { kind: 'fail'; code: ModelFault; message: string }

type ModelFault =
  | 'model_no_credit'
  | 'model_key_refused'
  | 'model_not_found'
  | 'model_without_tools'
  | 'model_refused'
  | 'model_address_blocked'
  | 'context_overflow'
  | 'model_error'

const noCredit = /insufficient_quota|credit balance is too low|insufficient (balance|credits)/i
const badKey = /api key (not valid|expired|is invalid)|invalid api key/i
const overflow =
  /context[ _].{0,20}(length|window|limit|size)|too (long|many tokens)|maximum.{0,20}(context|tokens|prompt)|prompt is too long|exceeds the (limit|maximum)|input token count/i
/** More than the account may ever send at once, so a retry does not help. */
const tooLargeForAccount = /request too large/i
const unknownModel =
  /model_not_found|model[^.]{0,80}(does not exist|not exist\b|not found)|(invalid|unknown) model\b|not a valid model|not have access to model/i
const noTools =
  /not support (tools|tool use|tool call|function)|support tool use|tool (calling|use) is not supported|tool choice requires|tools param requires/i
/** Azure, OpenAI, OpenRouter: the request violates their policies. */
const againstRules =
  /content_filter|content management policy|invalid_prompt|content_policy|(was|were) flagged/i
/** Groq could not parse the model's tool call; a retry generates a new one. */
const badCall = /tool_use_failed/

/** Pure on purpose: each way a provider can fail has its case here. */
export function classifyModelError(error: unknown): ModelVerdict {
  const egress = findEgressError(error)
  if (egress?.code === 'blocked_address') {
    return fail(
      'model_address_blocked',
      `${egress.message} A local model is set with MODEL_BASE_URL in the server's environment.`,
    )
  }
  // A retry would have the same result.
  if (egress?.code === 'too_large') return fail('model_error', egress.message)
  if (!APICallError.isInstance(error)) return classifyOther(error)
  const { statusCode } = error
  const message = messageOf(error)
  const all = `${message} ${codesOf(error)}`
  const isRefusal = statusCode === 400 || statusCode === 403 || statusCode === 404 || statusCode === 422
  switch (true) {
    case statusCode !== undefined && statusCode < 300:
      return retry(`The model provider gave an answer that cannot be read: ${message}${hintOf(error)}`)
    // Before rate limits: some providers answer 429 for both, and waiting does not refill an account.
    case statusCode === 402 || noCredit.test(all):
      return fail('model_no_credit', `The account at the model provider has no credit left: ${message}`)
    case noTools.test(message):
      return fail(
        'model_without_tools',
        `The model does not support tools, which the agent needs: ${message}`,
      )
    case isRefusal && againstRules.test(all):
      return fail('model_refused', `The model provider declined to answer this (${statusCode}): ${message}`)
    case isRefusal && unknownModel.test(all):
      return fail(
        'model_not_found',
        `The model provider does not know this model (${statusCode}): ${message}`,
      )
    case statusCode === 401 || statusCode === 403 || (statusCode === 400 && badKey.test(message)):
      return fail('model_key_refused', `The model provider refused the API key (${statusCode}): ${message}`)
    // A page for browsers redirects, or knows no POST.
    case statusCode === 404 || statusCode === 405 || (statusCode !== undefined && statusCode < 400):
      return fail(
        'model_not_found',
        `The model provider does not know this model or address (${statusCode}): ${message}`,
      )
    case statusCode === 413 ||
      (statusCode === 429 && tooLargeForAccount.test(message)) ||
      ((statusCode === 400 || statusCode === 422) && overflow.test(all)):
      return fail('context_overflow', `The conversation is too long for the model: ${message}`)
    case statusCode === undefined ||
      statusCode === 408 ||
      statusCode === 409 ||
      statusCode === 429 ||
      statusCode >= 500 ||
      badCall.test(all):
      return {
        ...retry(`The model provider answered ${statusCode ?? 'nothing'}: ${message}`),
        afterMs: retryAfterOf(error),
        isRateLimit: statusCode === 429,
      }
    default:
      return fail('model_error', `The model provider refused the request (${statusCode}): ${message}`)
  }
}

/** Not an answer from the provider: a broken connection, a timeout, or an unreadable answer. */
function classifyOther(error: unknown): ModelVerdict {
  const message = asError(error).message
  if (error instanceof Error && error.name === 'AI_LoadAPIKeyError') {
    return fail('model_key_refused', 'No API key is set for the model.')
  }
  return retry(`The model sent no valid response: ${message}`)
}

function retry(message: string): Extract<ModelVerdict, { kind: 'retry' }> {
  return { kind: 'retry', afterMs: null, isRateLimit: false, message }
}

function fail(code: ModelFault, message: string): ModelVerdict {
  return { kind: 'fail', code, message }
}

/**
 * The provider's message, shortened; never the request, which contains the conversation. If the SDK could not parse the error (no
 * `data`), its own message is only the name of the status.
 */
function messageOf({ message, data, responseBody }: APICallError): string {
  const words = (data === undefined ? readProviderMessage(responseBody) : null) ?? message
  return words.replaceAll(/\s+/g, ' ').slice(0, 300).toWellFormed()
}

/** Whoever leaves out a part of the address, such as /v1, often gets a page for browsers. */
function hintOf({ responseHeaders }: APICallError): string {
  return /^text\/html\b/i.test(responseHeaders?.['content-type'] ?? '')
    ? '. It is a web page: the address of the model is probably wrong.'
    : ''
}

/** The error codes of providers. Not the rest of the body: some repeat in it what they were sent. */
function codesOf({ responseBody }: APICallError): string {
  const body = parseJson(responseBody ?? '')
  const error = isObject(body) ? body.error : undefined
  return [body, error]
    .flatMap((at) => (isObject(at) ? [at.code, at.type] : []))
    .filter((code) => typeof code === 'string')
    .join(' ')
}

const longestPauseMs = 120_000

/** RFC 9110 §10.2.3 (seconds or a date), the milliseconds some providers send, and Google's RetryInfo in the body. */
function retryAfterOf({ responseHeaders, responseBody }: APICallError): number | null {
  const after = responseHeaders?.['retry-after']
  const candidates = [
    Number(responseHeaders?.['retry-after-ms']),
    Number(after) * 1000,
    Date.parse(after ?? '') - Date.now(),
    Number(/"retryDelay":\s*"([\d.]+)s"/.exec(responseBody ?? '')?.[1]) * 1000,
  ]
  const ms = candidates.find((candidate) => candidate > 0)
  return ms === undefined ? null : Math.min(ms, longestPauseMs)
}

/** Where servers put their error message, the most common place first. */
const places = ['message', 'error', 'detail', 'msg', 'description', 'title'] as const

/** The message in an error's body, whatever its form: `{"error":{"message"}}`, `{"error":""}`, `{"message"}`, `{"detail":[{"msg"}]}`. */
function readProviderMessage(body: unknown): string | null {
  return messageIn(typeof body === 'string' ? parseJson(body) : body, 0)
}

function messageIn(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  if (depth > 4) return null
  if (Array.isArray(value)) return messageIn(value[0], depth + 1)
  if (!isObject(value)) return null
  for (const place of places) {
    const found = messageIn(value[place], depth + 1)
    if (found !== null) return found
  }
  return null
}
