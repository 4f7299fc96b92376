import ipaddr from 'ipaddr.js'
import { type Cidr, parseAddress } from './judge-address.ts'

export type PolicyText = {
  /** `api.example.com`, `*.example.com` (every name below it) or `*`. An empty list means any public host. */
  allowedHosts: readonly string[]
  /** `host:port`, an address or a CIDR. Only from the server's own environment. */
  privateExceptions: readonly string[]
}

export type Policy = {
  allowedHosts: readonly string[]
  /** `host:port` pairs to which name and address rules do not apply. */
  exemptPairs: ReadonlySet<string>
  /** Ranges to which only the address rules do not apply. */
  exemptRanges: readonly Cidr[]
}

/** Parses the two environment settings; reports all their faults at once. */
export function parsePolicy(text: PolicyText): Policy {
  const faults: string[] = []
  const exemptPairs = new Set<string>()
  const exemptRanges: Cidr[] = []

  for (const exception of text.privateExceptions) {
    const pair = parsePair(exception)
    const range = pair ? null : parseRange(exception)
    if (pair) exemptPairs.add(pair)
    else if (range) exemptRanges.push(range)
    else faults.push(`EGRESS_PRIVATE_EXCEPTIONS: ${exceptionFault(exception)}.`)
  }
  for (const pattern of text.allowedHosts) {
    const fault = hostPatternFault(pattern)
    if (fault) faults.push(`EGRESS_ALLOWED_HOSTS: ${fault}.`)
  }
  const allowedHosts = text.allowedHosts.map(spellPattern)
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return { allowedHosts, exemptPairs, exemptRanges }
}

/** What is wrong with one entry of EGRESS_PRIVATE_EXCEPTIONS. */
export function exceptionFault(entry: string): string | null {
  if (parsePair(entry) || parseRange(entry)) return null
  return `"${entry}" is neither host:port nor a range like 10.0.0.0/8`
}

/** What is wrong with one entry of EGRESS_ALLOWED_HOSTS. */
export function hostPatternFault(pattern: string): string | null {
  const isPattern = /^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[?[0-9a-f:.]+\]?)$/.test(spellPattern(pattern))
  return isPattern ? null : `"${pattern}" is not a host name like api.example.com or *.example.com`
}

function spellPattern(pattern: string): string {
  return pattern.toLowerCase().replace(/\.$/, '')
}

function parseRange(text: string): Cidr | null {
  const address = parseAddress(text)
  if (address) return [address, address instanceof ipaddr.IPv4 ? 32 : 128]
  return ipaddr.isValidCIDR(text) && parseAddress(text.split('/')[0] ?? '') ? ipaddr.parseCIDR(text) : null
}

/** Through `URL`, so that the pair is normalised like the URLs it is compared with. */
function parsePair(text: string): string | null {
  const port = /^(?:\[[0-9a-f:.]+\]|[^:/?#@\s]+):(\d{1,5})$/i.exec(text)?.[1]
  if (!port || !URL.canParse(`http://${text}`)) return null
  return pairOf(new URL(`http://${text}`).hostname.replace(/\.$/, ''), Number(port))
}

export function pairOf(hostname: string, port: number): string {
  return `${bareHost(hostname)}:${port}`
}

/** An IPv6 address without the brackets it has in a URL. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}
