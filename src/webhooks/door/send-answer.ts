import type { ServerResponse } from 'node:http'
import { type Problem, problemBody } from '../../problems.ts'
import type { Preset } from '../verification/presets.ts'

export function sendJson(
  response: ServerResponse,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  send(response, 200, 'application/json', JSON.stringify(body), headers)
}

/** 204 with a content type all the same: Discord requires both. */
export function sendEmpty(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(204, { 'content-type': 'application/json' })
  response.end()
}

type Kept = { outcome: 'accepted' | 'duplicate'; eventId: string; runId: string }

/**
 * The event is stored. A sender that would take our JSON for a failure gets the receipt it understands; other programs at the
 * same URL get JSON.
 */
export function sendReceipt(
  response: ServerResponse,
  { outcome: status, eventId, runId }: Kept,
  own: Preset['receipt'],
): void {
  if (!own || !response.req.headers['user-agent']?.startsWith(own.agent)) {
    sendJson(response, { status, eventId, runId })
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
  headers: Record<string, string>,
): void {
  // The sender may have hung up, or an answer may already be on its way.
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}
