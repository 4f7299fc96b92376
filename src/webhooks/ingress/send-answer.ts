import type { ServerResponse } from 'node:http'
import { type Problem, problemBody } from '../../http/problems.ts'
import type { Preset } from '../verification/presets.ts'

type AnswerHeaders = Readonly<Record<string, string | number>>

export function sendJson(response: ServerResponse, body: unknown, headers: AnswerHeaders = {}): void {
  send(response, 200, 'application/json', JSON.stringify(body), headers)
}

/** 204 with a content type all the same: Discord requires both. */
export function sendEmpty(response: ServerResponse): void {
  answer(response, 204, { 'content-type': 'application/json' })
}

type AcceptedReceipt = { outcome: 'accepted' | 'duplicate'; eventId: string; runId: string }

/**
 * The event is stored. A sender that would take our JSON for a failure gets the receipt it understands; other programs at the
 * same URL get JSON.
 */
export function sendReceipt(
  response: ServerResponse,
  { outcome: status, eventId, runId }: AcceptedReceipt,
  own: Preset['receipt'],
): void {
  if (!own || !response.req.headers['user-agent']?.startsWith(own.agent)) {
    // Nothing in it needs escaping, and it is the answer of almost every delivery.
    const body = `{"status":"${status}","eventId":"${eventId}","runId":"${runId}"}`
    send(response, 200, 'application/json', body, {})
    return
  }
  switch (own.form) {
    case 'none':
      sendEmpty(response)
      return
    case 'twiml':
      send(response, 200, 'text/xml', '<?xml version="1.0" encoding="UTF-8"?><Response/>', {})
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

export function sendProblem(response: ServerResponse, problem: Problem, requestId: string): void {
  const body = JSON.stringify(problemBody(problem, requestId))
  const headers = { 'x-request-id': requestId, ...protective, ...problem.headers }
  send(response, problem.status, 'application/problem+json', body, headers)
}

function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  headers: AnswerHeaders,
): void {
  const length = Buffer.byteLength(body)
  answer(response, status, { 'content-type': contentType, 'content-length': length, ...headers }, body)
}

/** Sends nothing if the sender is gone or has its answer. */
function answer(response: ServerResponse, status: number, headers: AnswerHeaders, body?: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, headers).end(body)
}
