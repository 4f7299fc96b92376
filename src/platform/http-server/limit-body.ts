import type { Context, MiddlewareHandler } from 'hono'
import { countUpTo } from './count-up-to.ts'

/**
 * Refuses a body by its declared length, or while it is read. Nothing is read before a handler asks for it, so callers who are
 * refused fill no memory. A request that declares no body has none (RFC 9112 §6.3). hono's own `bodyLimit` copies the request in
 * a way that breaks @hono/node-server's requests.
 */
export function limitBody(maxBytes: number, refuse: () => never): MiddlewareHandler {
  return async (c, next) => {
    const { headers, body } = c.req.raw
    if (headers.has('transfer-encoding')) {
      if (body) c.req.raw = rebuild(c, body.pipeThrough(countUpTo(maxBytes, refuse)))
    } else if (Number(headers.get('content-length') ?? 0) > maxBytes) {
      refuse()
    }
    return next()
  }
}

function rebuild(c: Context, body: ReadableStream<Uint8Array>): Request {
  const { url, method, headers, signal } = c.req.raw
  return new Request(url, { method, headers: [...headers], body, signal, duplex: 'half' })
}
