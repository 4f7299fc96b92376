import { type Dispatcher, type RequestInit as UndiciInit, fetch as undiciFetch } from 'undici'

export type FetchLimits = {
  /** Until the headers of the answer are there. */
  headersTimeoutMs: number
  /** The longest silence within the answer: streams may live on as long as they speak. */
  idleTimeoutMs: number
}

/**
 * A `fetch` for SDKs that want one. It is undici's own, from the same copy as the dispatcher; it never follows a
 * redirect, since another origin would get the credentials.
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
    // Node's and undici's types of the same standard differ in name only.
    return undiciFetch(url, { ...own, ...(init as UndiciInit), redirect: 'manual', dispatcher: limited })
  }
  return limitedFetch as unknown as typeof globalThis.fetch
}

/** undici's fetch does not know the Request of Node's own copy of it. */
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
