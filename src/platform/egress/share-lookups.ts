import type { ResolveHost } from './resolve-host.ts'

/**
 * Simultaneous lookups of one name become one. The system looks up few names at a time, so calls to a name whose DNS server is
 * silent would keep the names of all others waiting.
 */
export function shareLookups(resolveHost: ResolveHost): ResolveHost {
  const underWay = new Map<string, Promise<string[]>>()
  return (host) => {
    const begun = underWay.get(host)
    if (begun) return begun
    const lookup = resolveHost(host).finally(() => underWay.delete(host))
    underWay.set(host, lookup)
    return lookup
  }
}
