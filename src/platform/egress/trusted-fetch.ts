import { Agent } from 'undici'
import { type FetchLimits, fetchThrough } from './fetch-through.ts'

/** A `fetch` for addresses that the server's own environment names: no guard, since whoever sets the environment owns the machine. */
export function openTrustedFetch(limits: FetchLimits): AsyncDisposable & { fetch: typeof globalThis.fetch } {
  const agent = new Agent()
  // Not closed gently: those who asked were stopped before.
  return { fetch: fetchThrough(agent, limits), [Symbol.asyncDispose]: () => agent.destroy() }
}
