import type { EgressFailureCode } from '../../platform/egress/egress-error.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import type { RequestSecrets } from '../auth/request-secrets.ts'
import type { SignRequest, ToolErrorCode } from '../call/callable-tool.ts'
import { maskCredentials } from '../call/mask-credentials.ts'
import type { FrozenRequest } from './build-request.ts'
import { type AnswerBody, readBody } from './read-body.ts'

type Context = { egress: Egress }

export type SendOutcome =
  | {
      ok: true
      status: number
      contentType: string | null
      /** The target of a redirect. Redirects are never followed. */
      location: string | null
      /** `WWW-Authenticate`. */
      challenge: string | null
      /** Headers of the answer that say where to continue, one per line. */
      headers: string
      body: AnswerBody
      /** The answer held a copy of the connector's own credential, which is masked. */
      hasMaskedCredential: boolean
    }
  /** There was no answer. That is data for the agent, so it is returned and not thrown. */
  | {
      ok: false
      code: ToolErrorCode
      message: string
      /** The target may have received the request, so repeating it could act twice. */
      mayHaveArrived: boolean
    }

type SendOptions = {
  timeoutMs: number | null
  purpose: string
  signal?: AbortSignal
  maySend?: () => boolean
  sign?: SignRequest
}

const headersTimeoutMs = 10_000
const totalTimeoutMs = 30_000
const maxBytes = 10 * 1024 * 1024

/** Sends the frozen bytes with the secrets filled in, and returns the answer as it came. */
export async function sendRequest(
  ctx: Context,
  request: FrozenRequest,
  secrets: RequestSecrets,
  options: SendOptions,
): Promise<SendOutcome> {
  const url = request.secretQuery === null ? request.url : secrets.addTo(request.url)
  const sent = { method: request.method, url, body: request.body }
  const signature = request.isSigned && options.sign ? await options.sign(sent) : {}
  const answer = await ctx.egress.request({
    method: request.method,
    url,
    headers: { ...withSecrets(request, secrets), ...signature },
    body: request.body ?? undefined,
    limits: {
      // Whoever sets a longer timeout for a slow API means the wait for its first byte too.
      headersTimeoutMs: options.timeoutMs ?? headersTimeoutMs,
      totalTimeoutMs: options.timeoutMs ?? totalTimeoutMs,
      maxBytes,
    },
    purpose: options.purpose,
    signal: options.signal,
    maySend: options.maySend,
  })
  if (!answer.ok) {
    const { message, mayHaveArrived } = answer
    return { ok: false, code: toToolErrorCode(answer.code), message, mayHaveArrived }
  }
  const mask = createMask(secrets.credentials)
  const contentType = [answer.headers['content-type'] ?? []].flat()[0] ?? null
  const location = [answer.headers.location ?? []].flat()[0] ?? null
  const body = readBody(answer.body, contentType)
  return {
    ok: true,
    status: answer.status,
    contentType: contentType && mask.apply(contentType),
    location: location && mask.apply(location),
    challenge: [answer.headers['www-authenticate'] ?? []].flat()[0] ?? null,
    headers: mask.apply(selectHeaders(answer.headers)),
    body: body.kind === 'text' ? { ...body, text: mask.apply(body.text) } : body,
    hasMaskedCredential: mask.wasNeeded(),
  }
}

/** Where the created thing is, where a list continues, when to retry: facts that APIs give only in headers. */
const keptHeaders = [
  'Location',
  'Content-Location',
  'Operation-Location',
  'Link',
  'X-Next-Page',
  'X-Total-Count',
  'Retry-After',
]
const longestValue = 2000

function selectHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): string {
  return keptHeaders
    .flatMap((name) => {
      const value = [headers[name.toLowerCase()] ?? []].flat().join(', ')
      return value === '' ? [] : [`${name}: ${value.slice(0, longestValue)}`]
    })
    .join('\n')
}

function withSecrets(request: FrozenRequest, secrets: RequestSecrets): Record<string, string> {
  const headers = { ...request.headers }
  for (const name of Object.keys(request.secretHeaders)) {
    const value = secrets.headerValue(name)
    if (value !== null) headers[name] = value
  }
  return headers
}

function createMask(credentials: readonly string[]) {
  let needed = false
  return {
    apply(text: string): string {
      const masked = maskCredentials(text, credentials)
      needed ||= masked !== text
      return masked
    },
    wasNeeded: () => needed,
  }
}

function toToolErrorCode(code: EgressFailureCode): ToolErrorCode {
  if (code === 'invalid_request') return 'invalid_input'
  return code === 'aborted' ? 'cancelled' : code
}
