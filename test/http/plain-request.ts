import { text } from 'node:stream/consumers'
import type { Exchange } from '../../src/platform/http-server/exchange.ts'

const json = { 'content-type': 'application/json' }

/** Answers with what it understood, a moment later. */
export async function echo(exchange: Exchange): Promise<void> {
  const { method, url, rawHeaders, body } = exchange
  const sent = Buffer.isBuffer(body) ? body.toString('latin1') : await text(body.setEncoding('latin1'))
  const answer = JSON.stringify({ method, url, rawHeaders, type: exchange.header('content-type'), sent })
  setImmediate(() => exchange.answer(200, { ...json, 'content-length': Buffer.byteLength(answer) }, answer))
}

export function post(body: string, headers: readonly string[] = [], path = '/hooks/a?b=c'): string {
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Content-Length: ${body.length}`, ...headers]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

export const usual = post('{"a":1}', [
  'Content-Type: application/json',
  'X-Odd:\t two  words \t',
  'Connection: Keep-Alive',
])
