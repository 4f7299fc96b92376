import { isIP } from 'node:net'
import { judgeAddress } from '../../platform/egress/judge-address.ts'
import { judgeUrl } from '../../platform/egress/judge-url.ts'
import { bareHost, type Policy } from '../../platform/egress/parse-policy.ts'

const anyHost: Policy = { allowedHosts: [], exemptPairs: new Set(), exemptRanges: [] }

/** Within one machine or a private network, http is usual. */
export function warnOfPlainHttp(baseUrl: string): string[] {
  if (!baseUrl.startsWith('http:') || isLocal(new URL(baseUrl))) return []
  return [
    'The address begins with http:, so credentials and answers are sent unencrypted. Use https: if the API has it.',
  ]
}

function isLocal(url: URL): boolean {
  const host = bareHost(url.hostname)
  return isIP(host) === 0 ? !judgeUrl(anyHost, [], url).ok : judgeAddress(host) === 'refused'
}
