import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Cidr = [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** Every row of IANA's IPv4 special-purpose registry, multicast, and the platform address of one large cloud. */
const refusedIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((range) => ipaddr.IPv4.parseCIDR(range))

/** For IPv6 it is the other way round: only global unicast is allowed, except for these ranges. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const refusedIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map(
  (range) => ipaddr.IPv6.parseCIDR(range),
)

/** Networks without IPv4 reach the IPv4 Internet under this prefix (RFC 6052): the embedded address decides. */
const dns64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Whether this address may be connected to. `exemptRanges` are the exceptions from the server's own environment.
 * Pure on purpose: this table is the safety case. Anything that cannot be parsed is refused.
 */
export function judgeAddress(address: string, exemptRanges: readonly Cidr[] = []): 'public' | 'refused' {
  const parsed = parseAddress(address)
  if (!parsed) return 'refused'
  if (exemptRanges.some((range) => isWithin(parsed, range))) return 'public'
  return parsed instanceof ipaddr.IPv4 ? judgeIpv4(parsed) : judgeIpv6(parsed, exemptRanges)
}

function judgeIpv4(address: ipaddr.IPv4): 'public' | 'refused' {
  return refusedIpv4.some((range) => address.match(range)) ? 'refused' : 'public'
}

function judgeIpv6(address: ipaddr.IPv6, exemptRanges: readonly Cidr[]): 'public' | 'refused' {
  if (address.match(dns64)) {
    return judgeAddress(new ipaddr.IPv4(address.toByteArray().slice(12)).toString(), exemptRanges)
  }
  if (!address.match(globalUnicast)) return 'refused'
  return refusedIpv6.some((range) => address.match(range)) ? 'refused' : 'public'
}

/** `isIP` first: ipaddr.js alone would accept `0177.0.0.1` or `10.1` as addresses. */
export function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  return isIP(address) === 0 || address.includes('%') ? null : ipaddr.parse(address)
}

export function isSameAddress(one: string, other: string): boolean {
  const left = parseAddress(one)
  const right = parseAddress(other)
  return left !== null && right !== null && left.toNormalizedString() === right.toNormalizedString()
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Cidr): boolean {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits)
  return network instanceof ipaddr.IPv6 && address.match(network, bits)
}
