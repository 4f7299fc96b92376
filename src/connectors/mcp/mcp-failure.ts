import { asError } from '../../platform/as-error.ts'
import { findEgressError } from '../../platform/egress/egress-error.ts'
import { isObject } from '../../platform/json/is-object.ts'
import { parseExactJson } from '../../platform/json/parse-exact-json.ts'
import type { ToolErrorCode } from '../call/callable-tool.ts'
import { maskCredentials } from '../call/mask-credentials.ts'
import type { McpServer } from './mcp-server.ts'

type Extras = Partial<Omit<McpFailure, keyof Error | 'code' | 'plainMessage'>> & { cause?: unknown }

/** What went wrong with a server, in words for people, and what follows from it. */
export class McpFailure extends Error {
  /** Beside those of a call: 401, 401 with the address of metadata, 403, and that nobody has signed in for this connector. */
  readonly code: ToolErrorCode | 'unauthorized' | 'sign_in_required' | 'forbidden' | 'not_connected'
  /** Only our own words: for the model, which reads errors outside any fence. */
  readonly plainMessage: string
  /** Text that may come from the server. */
  readonly serverMessage: string = ''
  /** The server may know only the revision without a handshake. */
  readonly mayBeNewer: boolean = false
  /** The server may know only the older transport. */
  readonly mayBeOlder: boolean = false
  /** The server has forgotten our session; a new one may be opened. */
  readonly sessionEnded: boolean = false
  /** The request was not sent, or was refused before it had any effect. */
  readonly tookNoEffect: boolean = false
  /** The server wants fewer requests, so none is repeated at once. */
  readonly isBusy: boolean = false

  constructor(code: McpFailure['code'], message: string, { cause, ...extras }: Extras = {}) {
    super(extras.serverMessage ? `${message} ${extras.serverMessage}` : message, { cause })
    this.name = 'McpFailure'
    this.code = code
    this.plainMessage = message
    Object.assign(this, extras)
  }
}

/** Masks the credential in the server's message: some servers repeat the one they refuse, and people other than its owner read the message. */
export function explainMcpFailure(error: unknown, server: McpServer): McpFailure {
  const known = findBelow(error, (at) => at instanceof McpFailure)
  if (known instanceof McpFailure) return known
  const egress = findEgressError(error)
  if (egress) {
    // The guarded fetch throws these while connecting, before any byte of the request is sent.
    return new McpFailure(toToolErrorCode(egress.code), egress.message, { tookNoEffect: true, cause: error })
  }
  const status = statusOf(error)
  if (status !== null || isUnauthorized(error)) return explainStatus(status ?? 401, error, server)
  if (findBelow(error, (at) => timeouts.has(codeOf(at) ?? ''))) {
    return new McpFailure('timeout', 'The server did not answer in time.', { cause: error })
  }
  const code = codeOf(error)
  const isNoMessage = findBelow(error, ({ name }) => name === 'ZodError') !== null
  if (code === 'INVALID_RESULT' || error instanceof SyntaxError || isNoMessage) {
    const message = 'The server’s answer does not follow the MCP protocol. Check the URL.'
    return new McpFailure('bad_answer', message, { cause: error })
  }
  if (code === 'CLIENT_HTTP_UNEXPECTED_CONTENT') {
    const message = 'The server’s answer has a content type that MCP does not know.'
    return new McpFailure('connection_failed', message, { mayBeOlder: true, cause: error })
  }
  const lost = findBelow(error, ({ message }) => message === 'fetch failed')?.cause
  if (lost instanceof Error) {
    return new McpFailure('connection_failed', `The connection failed: ${lost.message}.`, { cause: error })
  }
  const serverMessage = maskCredentials(asError(error).message, server.auth.credentials())
  // A server that does not know our handshake answers with a protocol error.
  const isProtocolError = error instanceof Error && error.name === 'ProtocolError'
  const mayBeNewer = isProtocolError || otherRevision.test(asError(error).message)
  const words = mayBeNewer ? 'The server was reached and answered with an error.' : 'The connection failed.'
  return new McpFailure('connection_failed', words, { serverMessage, mayBeNewer, cause: error })
}

/** What the SDK says if the answer to the handshake names a revision that has none. */
const otherRevision = /^Server's protocol version is not supported/

/** Codes from the SDK and from undici. */
const timeouts = new Set([
  'REQUEST_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Statuses with which other servers and some gateways answer a request that they do not know. */
const otherKind = new Set([400, 404, 405, 406, 415, 501])

function explainStatus(status: number, cause: unknown, server: McpServer): McpFailure {
  const refusal = findRefusal(cause)
  const serverMessage = maskCredentials(refusal ?? '', server.auth.credentials())
  if (status === 401) {
    const extras = { serverMessage, tookNoEffect: true, cause }
    return server.lastChallenge?.includes('resource_metadata')
      ? new McpFailure('sign_in_required', signInFirst, extras)
      : new McpFailure('unauthorized', wrongCredentials, extras)
  }
  if (status === 403) {
    return new McpFailure('forbidden', `The server refuses the request (403). ${mayBeAddress}`, {
      serverMessage,
      tookNoEffect: true,
      cause,
    })
  }
  if (status >= 300 && status < 400) {
    return new McpFailure(
      'connection_failed',
      `The server redirects to another URL (${status}), and that is not followed. Set the URL that it redirects to.`,
      { tookNoEffect: true, cause },
    )
  }
  return new McpFailure('connection_failed', describeStatus(status, refusal !== null), {
    serverMessage,
    mayBeNewer: otherKind.has(status),
    mayBeOlder: otherKind.has(status),
    sessionEnded: status === 404,
    tookNoEffect: status < 500 && status !== 408,
    isBusy: status === 429,
    cause,
  })
}

const signInFirst =
  'The server wants somebody to sign in (401). Set the authentication of the connector to OAuth, and an admin can sign in.'
const wrongCredentials =
  'The server refuses the credentials (401). Check the authentication of the connector; the server’s operator knows which one it takes.'
const mayBeAddress =
  'It knows these credentials but does not allow this, or it accepts requests only under another address or host name.'

function describeStatus(status: number, isRefusal: boolean): string {
  if (status === 429) return 'The server is receiving too many requests (429). Try again later.'
  if (status === 408 || status === 504) return `The server, or what is behind it, took too long (${status}).`
  if (status >= 500 && status !== 501) {
    return `The server failed (${status}). Try again later; if it keeps failing, ask the server’s operator.`
  }
  if (isRefusal) return `The server refused the request (${status}).`
  return `The server answered ${status} where an MCP answer was expected. Check the URL.`
}

const longestRefusal = 1000
const longestSentence = 300

/** The message of a protocol error, or the sentence, that came with an HTTP status. Pages of gateways are not passed on. */
function findRefusal(error: unknown): string | null {
  const found = findBelow(
    error,
    (at) => 'data' in at && isObject(at.data) && typeof at.data.text === 'string',
  )
  const text = found && 'data' in found && isObject(found.data) ? found.data.text : null
  if (typeof text !== 'string' || text.length > 16 * longestRefusal) return null
  const parsed = parseExactJson(text)
  const message = isObject(parsed) && isObject(parsed.error) ? parsed.error.message : null
  if (typeof message === 'string') return message.slice(0, longestRefusal)
  // A sentence, and no page.
  return text.length <= longestSentence && !/[<{]/.test(text) && text.trim() !== '' ? text.trim() : null
}

function toToolErrorCode(code: string): ToolErrorCode {
  switch (code) {
    case 'timeout':
    case 'dns_failed':
    case 'blocked_address':
    case 'tls_failed':
    case 'too_large':
      return code
    default:
      return 'connection_failed'
  }
}

function statusOf(error: unknown): number | null {
  const found = findBelow(
    error,
    (at) =>
      ('status' in at && typeof at.status === 'number') ||
      ('code' in at && typeof at.code === 'number' && at.code >= 300 && at.code < 600),
  )
  if (!found) {
    // The older transport's POST has the status only in its message.
    const status = error instanceof Error ? error.message.match(/\(HTTP (\d{3})\)/)?.[1] : undefined
    return status ? Number(status) : null
  }
  if ('status' in found && typeof found.status === 'number') return found.status
  return 'code' in found && typeof found.code === 'number' ? found.code : null
}

function findBelow(error: unknown, matches: (at: Error) => boolean): Error | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if (matches(at)) return at
  }
  return null
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

function isUnauthorized(error: unknown): boolean {
  return (
    findBelow(error, ({ name }) => name === 'UnauthorizedError' || name === 'InsufficientScopeError') !== null
  )
}
