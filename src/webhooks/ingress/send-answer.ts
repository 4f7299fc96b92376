import { type Problem, problemBody } from '../../http/problems.ts'
import type { AnswerHeaders, Exchange } from '../../platform/http-server/exchange.ts'
import type { Preset } from '../verification/presets.ts'

export function sendJson(exchange: Exchange, body: unknown, headers: AnswerHeaders = {}): void {
  send(exchange, 200, 'application/json', JSON.stringify(body), headers)
}

/** 204 with a content type all the same: Discord requires both. */
export function sendEmpty(exchange: Exchange): void {
  exchange.answer(204, { 'content-type': 'application/json' })
}

type AcceptedReceipt = { outcome: 'accepted' | 'duplicate'; eventId: string; runId: string }

/**
 * The event is stored. A sender that would take our JSON for a failure gets the receipt it understands; other programs at the
 * same URL get JSON.
 */
export function sendReceipt(
  exchange: Exchange,
  { outcome: status, eventId, runId }: AcceptedReceipt,
  own: Preset['receipt'],
): void {
  if (!own || !exchange.header('user-agent')?.startsWith(own.agent)) {
    // Nothing in it needs escaping, and it is the answer of almost every delivery.
    const body = `{"status":"${status}","eventId":"${eventId}","runId":"${runId}"}`
    send(exchange, 200, 'application/json', body, {})
    return
  }
  switch (own.form) {
    case 'none':
      sendEmpty(exchange)
      return
    case 'twiml':
      send(exchange, 200, 'text/xml', '<?xml version="1.0" encoding="UTF-8"?><Response/>', {})
      return
    default:
      throw new Error(`Unhandled receipt ${own.form satisfies never}`)
  }
}

/** A browser only ever gets problems here; these headers keep it from rendering them. */
const protective = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export function sendProblem(exchange: Exchange, problem: Problem, requestId: string): void {
  const body = JSON.stringify(problemBody(problem, requestId))
  const headers = { 'x-request-id': requestId, ...protective, ...problem.headers }
  send(exchange, problem.status, 'application/problem+json', body, headers)
}

function send(
  exchange: Exchange,
  status: number,
  contentType: string,
  body: string,
  headers: AnswerHeaders,
): void {
  const length = Buffer.byteLength(body)
  exchange.answer(status, { 'content-type': contentType, 'content-length': length, ...headers }, body)
}
