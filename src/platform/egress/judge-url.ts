import { isIP } from 'node:net'
import { bareHost, type Policy, pairOf } from './parse-policy.ts'
import { type Refusal, type RefusalRule, refusal } from './refusal.ts'

type JudgedUrl = {
  ok: true
  /** Parsed once, with the host's trailing dot removed: exactly this is connected to. */
  url: URL
  host: string
  port: number
  /** The host and port are an exception in the server's environment: its addresses are not checked. */
  isExempt: boolean
}

const localSuffixes = ['localhost', 'local', 'internal', 'home.arpa']

/** The rules that need no DNS lookup. Pure on purpose: checked when a URL is saved and again before every request. */
export function judgeUrl(
  policy: Policy,
  ownOrigins: readonly string[],
  text: string | URL,
): JudgedUrl | { ok: false; refusal: Refusal } {
  const url = URL.parse(String(text))
  if (!url) return refuse('malformed-url')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('scheme')
  if (url.username !== '' || url.password !== '') return refuse('userinfo')
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)

  const host = bareHost(url.hostname)
  const port = portOf(url)
  if (ownOrigins.some((own) => isSamePair(own, host, port))) return refuse('own-origin')
  if (policy.exemptPairs.has(pairOf(host, port))) return { ok: true, url, host, port, isExempt: true }

  if (isIP(host) === 0) {
    if (host.split('.').includes('')) return refuse('name')
    if (!host.includes('.')) return refuse('local-name')
    if (localSuffixes.some((suffix) => host.endsWith(`.${suffix}`))) return refuse('local-name')
  }
  if (policy.allowedHosts.length > 0 && !policy.allowedHosts.some((pattern) => matchesHost(pattern, host))) {
    return refuse('allowlist')
  }
  return { ok: true, url, host, port, isExempt: false }
}

function refuse(rule: RefusalRule): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: refusal(rule) }
}

function matchesHost(pattern: string, host: string): boolean {
  if (pattern === '*') return true
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === bareHost(pattern)
}

/** The scheme does not matter: http and https on one port reach the same service. */
function isSamePair(ownOrigin: string, host: string, port: number): boolean {
  const own = new URL(ownOrigin)
  return bareHost(own.hostname) === host && portOf(own) === port
}

export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}
