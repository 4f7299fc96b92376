import { mostValues } from '../platform/json/has-too-many-values.ts'

/**
 * Every error a caller can see, as one table (RFC 9457). The key is the `type`; docs/problems.md explains each.
 * Any other error is a bug and becomes a 500 without details.
 */
export const problems = {
  // ── the request itself ──
  'malformed-json': { status: 400, title: 'The body is not valid JSON' },
  'invalid-request': { status: 400, title: 'Bad request' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported content type' },
  'invalid-input': { status: 422, title: 'Some fields are not valid' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'internal-error': { status: 500, title: 'Bellhop failed to answer' },
  unavailable: { status: 503, title: 'Bellhop cannot answer right now' },

  // ── people and access ──
  'not-signed-in': { status: 401, title: 'Sign in first' },
  'sign-in-failed': { status: 401, title: 'Wrong email address or password' },
  'second-factor-required': { status: 401, title: 'A code from the authenticator app is needed' },
  forbidden: { status: 403, title: 'Your role does not allow this' },
  'wrong-origin': { status: 403, title: 'The request comes from another site' },
  'link-expired': { status: 410, title: 'This link no longer works' },
  'setup-done': { status: 410, title: 'The first admin already exists' },
  'email-taken': { status: 409, title: 'This email address is already in use' },
  'last-admin': { status: 409, title: 'The last admin cannot be removed' },

  // ── webhooks ──
  'webhook-not-found': { status: 404, title: 'No webhook has this URL' },
  'webhook-inactive': { status: 404, title: 'This webhook is not active' },
  'webhook-deleted': { status: 410, title: 'This webhook was deleted' },
  'verification-failed': { status: 401, title: 'The delivery could not be verified' },
  'delivery-conflict': { status: 409, title: 'The same delivery id came with a different body' },
  'rate-limited': { status: 429, title: 'This webhook receives too many events' },
  'backlog-full': { status: 503, title: 'Too many events are waiting' },
  'disk-full': { status: 503, title: 'The disk of the server is full' },
  'body-erased': { status: 410, title: 'The body of this event was erased' },

  // ── connectors and tools ──
  'address-not-allowed': { status: 422, title: 'This address is not allowed' },
  'name-taken': { status: 409, title: 'This name is already in use' },
  'in-use': { status: 409, title: 'Still in use' },
  'confirmation-required': { status: 409, title: 'This call needs a confirmation' },
  'server-unreachable': { status: 422, title: 'The MCP server cannot be reached' },
  'oauth-failed': { status: 422, title: 'The authorization server cannot be used' },
  'tool-changed': { status: 409, title: 'The server has changed this tool' },
  'import-failed': { status: 422, title: 'The document could not be read' },

  // ── runs and approvals ──
  'question-not-pending': { status: 409, title: 'This question no longer waits for an answer' },
  'approval-not-pending': { status: 409, title: 'This approval is no longer pending' },
  'approval-changed': { status: 409, title: 'The request was edited since' },
  'not-an-approver': { status: 403, title: 'Somebody else decides this' },
  'already-approved': { status: 409, title: 'You have approved this call' },
  'confirm-in-channel': { status: 403, title: 'Confirm this call in the channel' },
  'run-not-started': { status: 410, title: 'This event started no run' },
  'run-not-active': { status: 409, title: 'This run has ended' },
  'rehearsal-not-active': { status: 409, title: 'This rehearsal has ended' },
  'nothing-to-post': { status: 409, title: 'There is no reply to post' },
  'model-unavailable': { status: 422, title: 'The model cannot be used' },

  // ── chat ──
  'chat-signature-invalid': { status: 401, title: 'The chat platform did not sign this request' },
  'workspace-unreachable': { status: 422, title: 'The workspace cannot be reached' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemType = keyof typeof problems
export type FieldError = { pointer: string; detail: string }

type Extras = {
  /** RFC 6901 pointers into the request body, each with what to do about it. */
  errors?: FieldError[]
  headers?: Record<string, string>
  cause?: unknown
}

export class Problem extends Error {
  readonly type: ProblemType
  readonly status: number
  readonly title: string
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string>

  constructor(type: ProblemType, detail: string, extras: Extras = {}) {
    super(detail, { cause: extras.cause })
    this.name = 'Problem'
    this.type = type
    this.status = problems[type].status
    this.title = problems[type].title
    this.errors = extras.errors
    this.headers = extras.headers ?? {}
  }
}

/** `throw problem('approval-not-pending', 'Kim approved it two minutes ago.')`: what happened, why, what to do. */
export function problem(type: ProblemType, detail: string, extras?: Extras): Problem {
  return new Problem(type, detail, extras)
}

/** The problem for somebody whose address the egress refuses to connect to. */
export function addressRefused(
  { message, rule }: { message: string; rule: string },
  pointer: string,
): Problem {
  return problem('address-not-allowed', `${message} (rule: ${rule})`, {
    errors: [{ pointer, detail: message }],
  })
}

/** Somebody whose key is not known should not look for a mistake in how they send it. */
export function notSignedIn(sentKey: boolean, metadataUrl: string | null): Problem {
  const detail = sentKey
    ? 'Unknown API key. Check that it was copied completely (blh_…). If it was revoked, create a new one under Settings → API keys.'
    : 'Sign in, or send an API key as "Authorization: Bearer blh_…".'
  const challenge = [
    'Bearer realm="Bellhop"',
    ...(sentKey ? ['error="invalid_token"'] : []),
    ...(metadataUrl === null ? [] : [`resource_metadata="${metadataUrl}"`]),
  ].join(', ')
  return problem('not-signed-in', detail, { headers: { 'www-authenticate': challenge } })
}

/** The usual way to refuse a field: 422 with a pointer to it. */
export function invalidField(pointer: string, detail: string): Problem {
  return new Problem('invalid-input', detail, { errors: [{ pointer, detail }] })
}

export function invalidFields(errors: FieldError[]): Problem {
  return new Problem('invalid-input', 'Correct the fields listed in errors and send it again.', { errors })
}

export function tooManyValues(maxBytes: number): Problem {
  const detail = `The body may hold ${mostValues(maxBytes).toLocaleString('en')} values at most. Send less at a time.`
  return new Problem('body-too-large', detail)
}

/** The wire form. `instance` is the request id, which is also in the log line. */
export function problemBody(error: Problem, instance: string): Record<string, unknown> {
  return {
    type: error.type,
    title: error.title,
    status: error.status,
    detail: error.message,
    instance,
    errors: error.errors,
  }
}
