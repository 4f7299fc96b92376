import { hash } from 'node:crypto'
import { showQueryKey } from '../auth/auth-placement.ts'
import type { FrozenRequest } from './build-request.ts'
import { shownSignature, signatureHeaders } from './signature-headers.ts'

export type ShownRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
}

/** What a person decides on: the request as it will be sent, with secrets masked. */
export function showRequest(request: FrozenRequest): ShownRequest {
  const { method, url, secretQuery: name, body, isSigned } = request
  const shown = showQueryKey(url, name === null ? null : { in: 'query', name })
  const headers = { ...request.headers, ...request.secretHeaders, ...(isSigned ? shownSignature : {}) }
  return { method, url: shown, headers, body }
}

/**
 * What an approval is bound to. The secrets are left out, since a digest over a short secret would let it be guessed; the
 * versions of tool and connector stand for them.
 */
export function digestRequest(request: FrozenRequest): string {
  const { method, url, headers, secretHeaders, secretQuery, body, isSigned } = request
  const secrets = [
    ...Object.keys(secretHeaders),
    ...(secretQuery === null ? [] : [`?${secretQuery}`]),
    ...(isSigned ? signatureHeaders : []),
  ]
  const bytes = JSON.stringify([method, url, Object.entries(headers), secrets, body])
  return `sha256:${hash('sha256', bytes)}`
}
