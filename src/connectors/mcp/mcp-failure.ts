import { findEgressError } from '../../platform/egress/egress-error.ts'
import type { ToolErrorCode } from '../callable-tool.ts'

/** What went wrong with a server, in words for a person, and what to make of it. */
export class McpFailure extends Error {
  readonly code: ToolErrorCode | 'unauthorized'
  /** The answer of a server that may only know the older transport. */
  readonly mayBeOlderServer: boolean
  /** The server forgot our session; a new one may be opened. */
  readonly sessionEnded: boolean

  constructor(
    code: McpFailure['code'],
    message: string,
    extras: { mayBeOlderServer?: boolean; sessionEnded?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: extras.cause })
    this.name = 'McpFailure'
    this.code = code
    this.mayBeOlderServer = extras.mayBeOlderServer ?? false
    this.sessionEnded = extras.sessionEnded ?? false
  }
}

export function explainMcpFailure(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error
  const egress = findEgressError(error)
  if (egress) return new McpFailure(toToolErrorCode(egress.code), egress.message, { cause: error })
  const status = statusOf(error)
  if (status === 401 || status === 403 || isUnauthorized(error)) {
    return new McpFailure(
      'unauthorized',
      'The server refuses the credentials. Bellhop signs in to MCP servers with a bearer token: get one from the ' +
        'server’s operator and set it as the auth value. It does not follow OAuth redirects.',
      { cause: error },
    )
  }
  if (status !== null && status >= 300 && status < 400) {
    return new McpFailure(
      'connection_failed',
      `The server redirects (${status}), and redirects are not followed. Set the final URL.`,
      { cause: error },
    )
  }
  if (status !== null) {
    const mayBeOlderServer =
      status === 400 || status === 404 || status === 405 || status === 406 || status === 415
    return new McpFailure(
      'connection_failed',
      `The server answered ${status} where an MCP answer was expected.`,
      {
        mayBeOlderServer,
        sessionEnded: status === 404,
        cause: error,
      },
    )
  }
  const code = codeOf(error)
  if (code === 'REQUEST_TIMEOUT')
    return new McpFailure('timeout', 'The server did not answer in time.', { cause: error })
  const message = error instanceof Error ? error.message : String(error)
  return new McpFailure('connection_failed', `The connection failed: ${message}`, {
    mayBeOlderServer: code === null,
    cause: error,
  })
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
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('status' in at && typeof at.status === 'number') return at.status
    if ('code' in at && typeof at.code === 'number' && at.code >= 300) return at.code
  }
  return null
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof Error && error.name === 'UnauthorizedError'
}
