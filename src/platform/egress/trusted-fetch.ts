import { Agent } from 'undici'
import { type FetchLimits, fetchThrough } from './fetch-through.ts'

/** A `fetch` for addresses from the server's own environment. It is not guarded, since whoever sets the environment owns the machine. */
export function openTrustedFetch(limits: FetchLimits): AsyncDisposable & { fetch: typeof globalThis.fetch } {
  const agent = new Agent()
  // Not closed gracefully: its callers were stopped before.
  return { fetch: fetchThrough(agent, limits), [Symbol.asyncDispose]: () => agent.destroy() }
}
