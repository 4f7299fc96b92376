import { EventSourceParserStream } from 'eventsource-parser/stream'
import { EgressError } from '../platform/egress/egress-error.ts'
import { isObject } from '../platform/json/is-object.ts'
import { parseExactJson } from '../platform/json/parse-exact-json.ts'
import { openAssembler, type StreamingProvider } from './assemble-answer.ts'
import { boundJson } from './bound-json.ts'

type Fetch = typeof globalThis.fetch

type Options = {
  provider: StreamingProvider
  /** Of the whole answer, without the wrapping of each event. */
  maxMib: number
}

/**
 * Asks for each answer as a stream, so that a model that works can be told from one that hangs, and returns it as the one document
 * that the provider would have sent without streaming: everything behind it stays the same. A server that does not know streams, or
 * refuses them, answers as it can.
 */
export function streamAnswers(ask: Fetch, options: Options): Fetch {
  const { provider } = options
  let isRefused = false
  return async (url, init) => {
    if (isRefused) return await ask(url, init)
    const response = await ask(...askForStream(provider, url, init))
    if (isEventStream(response) && response.body) return await assemble(response, response.body, options)
    if (!refusals.has(response.status)) return response
    const text = await response.text()
    const { status, statusText, headers } = response
    if (!/\bstream/i.test(text)) return new Response(text, { status, statusText, headers })
    const whole = await ask(url, init)
    isRefused = whole.ok
    return whole
  }
}

/** OpenAI for organizations that are not verified: "Your organization must be verified to stream this model." Others know no such field. */
const refusals: ReadonlySet<number> = new Set([400, 403, 422, 501])

/** The fields are added at the end: providers cache what requests have in common at their beginning. */
function askForStream(
  provider: StreamingProvider,
  url: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1],
): Parameters<Fetch> {
  if (provider === 'google')
    return [String(url).replace(/:generateContent$/, ':streamGenerateContent?alt=sse'), init]
  const usage = provider === 'openai-compatible' ? ',"stream_options":{"include_usage":true}' : ''
  const body = String(init?.body).replace(/\}$/, `,"stream":true${usage}}`)
  return [url, { ...init, body }]
}

export function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')
}

async function assemble(
  response: Response,
  body: NonNullable<Response['body']>,
  { provider, maxMib }: Options,
): Promise<Response> {
  const answer = openAssembler(provider)
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { data } of events) {
    const event = parseExactJson(boundJson(data))
    if (isObject(event)) answer.add(event)
  }
  const document = answer.finish()
  if (document === null) throw new Error('The answer broke off.')
  const text = JSON.stringify(document)
  if (text.length > maxMib * 1024 * 1024)
    throw new EgressError('too_large', `The model provider sent more than ${maxMib} MiB as one answer.`)
  const status = document.type === 'error' ? statusOf(document.error) : 200
  const headers = [...response.headers].filter(([name]) => !/^content-/i.test(name))
  return new Response(text, { status, headers: [...headers, ['content-type', 'application/json']] })
}

/** Anthropic: a failure after the stream began has a name instead of a status. */
function statusOf(error: unknown): number {
  const type = isObject(error) ? String(error.type) : ''
  return statuses.get(type) ?? 500
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['timeout_error', 504],
  ['overloaded_error', 529],
])
