import type { IncomingMessage, ServerResponse } from 'node:http'

export type AnswerHeaders = Readonly<Record<string, string | number>>

/** A request and the means to answer it, whoever read it from the connection. */
export type Exchange = {
  readonly method: string
  readonly url: string
  readonly rawHeaders: readonly string[]
  readonly remoteAddress: string | undefined
  /** The whole body, or the message that it is still to be read from. */
  readonly body: Buffer | IncomingMessage
  /** By its name in lower case. */
  header(name: string): string | undefined
  /** Sends nothing if the client is gone or has its answer. */
  answer(status: number, headers: AnswerHeaders, body?: string): void
}

export function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
  const { method = '', url = '', rawHeaders, socket } = request
  return {
    method,
    url,
    rawHeaders,
    remoteAddress: socket.remoteAddress,
    body: request,
    header(name) {
      const value = request.headers[name]
      return Array.isArray(value) ? value.join(',') : value
    },
    answer(status, headers, body) {
      if (response.headersSent || response.destroyed) return
      response.writeHead(status, headers)
      response.end(body)
    },
  }
}
