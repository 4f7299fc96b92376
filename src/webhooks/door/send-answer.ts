import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Problem, problemBody } from '../../problems.ts'

export function sendJson(
  response: ServerResponse,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  send(response, 200, 'application/json', JSON.stringify(body), headers)
}

export function sendProblem(response: ServerResponse, problem: Problem): void {
  const body = JSON.stringify(problemBody(problem, `req_${randomUUID()}`))
  send(response, problem.status, 'application/problem+json', body, problem.headers)
}

function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  headers: Record<string, string>,
): void {
  // The sender may have hung up, or an answer may be on its way already: nothing to add then.
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}
