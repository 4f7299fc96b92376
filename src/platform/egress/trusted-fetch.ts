import { Agent, type RequestInit as UndiciInit, fetch as undiciFetch } from 'undici'

/**
 * A `fetch` for addresses that the server's own environment names: no guard, since whoever sets the environment owns the
 * machine. It never follows a redirect, since another origin would get the credentials.
 */
export function openTrustedFetch(limits: {
  headersTimeoutMs: number
  idleTimeoutMs: number
}): AsyncDisposable & { fetch: typeof globalThis.fetch } {
  const dispatcher = new Agent({ headersTimeout: limits.headersTimeoutMs, bodyTimeout: limits.idleTimeoutMs })
  const trusted = (input: string | URL | Request, init?: RequestInit) =>
    // Node's and undici's types of the same standard differ in name only.
    undiciFetch(String(input), { ...(init as UndiciInit), redirect: 'manual', dispatcher })
  return {
    fetch: trusted as unknown as typeof globalThis.fetch,
    async [Symbol.asyncDispose]() {
      // Whoever still waits here was cut off already.
      await dispatcher.destroy()
    },
  }
}
