import type { Context, MiddlewareHandler } from 'hono'
import { countUpTo } from './count-up-to.ts'

/**
 * Refuses a body by its announced length, or while it is read. Nothing is read before somebody asks for it, so whoever is not let in
 * fills no memory. A request that announces no body has none (RFC 9112 §6.3). hono's own `bodyLimit` copies the request in a way that
 * @hono/node-server's request does not survive.
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
