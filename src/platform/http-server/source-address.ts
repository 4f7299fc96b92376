import { BlockList, isIP } from 'node:net'

/** Decides which address a request comes from. */
export type SourceAddress = (peer: string | undefined, forwardedFor: string | undefined) => string

/** Walks X-Forwarded-For from the right: each trusted proxy vouches for the hop before it, and nobody else does. */
export function createSourceAddress(trustedProxies: readonly string[]): SourceAddress {
  const trusted = new BlockList()
  for (const entry of trustedProxies) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    trusted.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  const isTrusted = (address: string) => {
    const version = isIP(address)
    return version !== 0 && trusted.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
  return (peer = '', forwardedFor) => {
    let source = plainAddress(peer)
    if (!forwardedFor || trustedProxies.length === 0) return source
    const hops = forwardedFor.split(',').map((hop) => plainAddress(hop.trim()))
    while (isTrusted(source) && hops.length > 0) {
      const hop = hops.pop() ?? ''
      if (isIP(hop) === 0) break
      source = hop
    }
    return source
  }
}

/** `::ffff:10.0.0.1`, `10.0.0.1:51234` and `10.0.0.1` are the same peer; with a port, IPv6 is in brackets. */
function plainAddress(address: string): string {
  if (/^[\d.]+$/.test(address)) return address
  return address
    .replace(/^\[([^\]]+)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '')
}
