import { lookup, Resolver } from 'node:dns/promises'

/** All addresses of a name, in the order in which to try them. Throws when there are none. */
export type ResolveHost = (host: string) => Promise<string[]>

/** What the machine itself would answer: its hosts file, its search order, its DNS servers. */
export const resolveBySystem: ResolveHost = async (host) => {
  const answers = await lookup(host, { all: true, order: 'verbatim' })
  return answers.map((answer) => answer.address)
}

/** Asks the given DNS servers (`address` or `address:port`) and nobody else. */
export function resolveByServers(servers: readonly string[], timeoutMs = 2000): ResolveHost {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
  resolver.setServers(servers)
  return async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason
    return addresses
  }
}
