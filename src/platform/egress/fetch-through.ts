import { Agent, type Dispatcher, type RequestInit as UndiciInit, fetch as undiciFetch } from 'undici'

export type FetchLimits = {
  /** Until the headers of the answer have arrived. */
  headersTimeoutMs: number
  /** The longest silence within the answer: a stream may last as long as data arrives. */
  idleTimeoutMs: number
}

/**
 * A `fetch` for SDKs that need one. It is undici's own, from the same copy as the dispatcher. It never follows a redirect, since
 * another origin would get the credentials.
 */
export function fetchThrough(dispatcher: Dispatcher, limits: FetchLimits): typeof globalThis.fetch {
  const limited = dispatcher.compose(
    (dispatch) => (options, handler) =>
      dispatch(
        { ...options, headersTimeout: limits.headersTimeoutMs, bodyTimeout: limits.idleTimeoutMs },
        handler,
      ),
  )
  const limitedFetch = async (input: string | URL | Request, init?: RequestInit) => {
    const { url, ...own } = input instanceof Request ? await unpack(input) : { url: String(input) }
    // Node's and undici's types for the same standard differ only in name.
    return undiciFetch(url, { ...own, ...(init as UndiciInit), redirect: 'manual', dispatcher: limited })
  }
  return limitedFetch as unknown as typeof globalThis.fetch
}

/** undici's fetch does not accept the Request of Node's own copy of undici. */
async function unpack(request: Request): Promise<{ url: string } & UndiciInit> {
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer())
  return {
    url: request.url,
    method: request.method,
    headers: [...request.headers],
    body,
    signal: request.signal,
  }
}

/** A `fetch` for addresses from the server's own environment. It is not guarded, since whoever sets the environment owns the machine. */
export function openTrustedFetch(limits: FetchLimits): AsyncDisposable & { fetch: typeof globalThis.fetch } {
  const agent = new Agent()
  // Not closed gracefully: its callers were stopped before.
  return { fetch: fetchThrough(agent, limits), [Symbol.asyncDispose]: () => agent.destroy() }
}
