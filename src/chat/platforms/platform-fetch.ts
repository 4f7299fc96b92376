import type { Egress } from '../../platform/egress/open-egress.ts'
import { PlatformError } from './platform-error.ts'

type Context = { egress: Pick<Egress, 'request'> }

/** After this time a request has ended, with or without an answer. */
export const longestRequestMs = 15_000
const limits = { headersTimeoutMs: 10_000, totalTimeoutMs: longestRequestMs, maxBytes: 8 * 1024 * 1024 }
const longestWaitMs = 15 * 60_000

/**
 * A `fetch` for the platforms' own clients, through the guarded egress. Handles what is the same on all platforms: 429 with its
 * waiting time, server errors, requests that were never sent and those that may have arrived.
 */
export function platformFetch(ctx: Context, purpose: string): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input)
    const answer = await ctx.egress.request({
      method: init.method ?? 'GET',
      url,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: readBody(init.body),
      limits,
      purpose,
    })
    if (!answer.ok) {
      throw new PlatformError(answer.mayHaveArrived ? 'uncertain' : 'down', answer.message)
    }
    const headers = new Headers()
    for (const [name, value] of Object.entries(answer.headers)) {
      // The body is already decoded, so its length and encoding on the wire no longer apply.
      if (/^content-(encoding|length)$/i.test(name)) continue
      for (const one of [value ?? []].flat()) headers.append(name, one)
    }
    if (answer.status === 429) {
      throw new PlatformError('rate-limited', 'The platform is rate limiting requests.', {
        retryAfterMs: readRetryAfter(headers.get('retry-after'), answer.body),
      })
    }
    if (answer.status >= 500) {
      throw new PlatformError('uncertain', `The platform answered ${answer.status}.`)
    }
    const empty = answer.status === 204 || answer.status === 304
    return new Response(empty ? null : Uint8Array.from(answer.body), { status: answer.status, headers })
  }
}

function readBody(body: RequestInit['body']): string | Uint8Array | undefined {
  if (body === null || body === undefined) return undefined
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('The clients of chat platforms send text.')
}

/** In the header, or in the body with Telegram and Discord. */
function readRetryAfter(header: string | null, body: Buffer): number {
  const inBody = body.toString('utf8', 0, 2000).match(/"retry_after"\s*:\s*([\d.]+)/)?.[1]
  const seconds = Number(header ?? inBody)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, longestWaitMs) : 1000
}
