import type { Context, MiddlewareHandler } from 'hono'

/**
 * Refuses a body by its announced length, or while it streams in. A request that announces no body has none (RFC 9112 §6.3).
 * hono's own `bodyLimit` copies the request in a way that @hono/node-server's request does not survive.
 */
export function limitBody(maxBytes: number, refuse: () => never): MiddlewareHandler {
  return async (c, next) => {
    const { headers, body } = c.req.raw
    if (headers.has('transfer-encoding')) {
      if (body) c.req.raw = rebuild(c, await readUpTo(body, maxBytes, refuse))
    } else if (Number(headers.get('content-length') ?? 0) > maxBytes) {
      refuse()
    }
    return next()
  }
}

async function readUpTo(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  refuse: () => never,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) refuse()
    chunks.push(chunk)
  }
  return Uint8Array.from(Buffer.concat(chunks))
}

function rebuild(c: Context, body: Uint8Array<ArrayBuffer>): Request {
  const { url, method, headers, signal } = c.req.raw
  return new Request(url, { method, headers: [...headers], body, signal })
}
