import { type Refusal, type RefusalRule, refusal } from './refusal.ts'

/** Why no complete answer came. The slice `tools` passes these to the agent as data, so the codes stay stable. */
export type EgressFailureCode =
  | 'timeout'
  | 'dns_failed'
  | 'blocked_address'
  | 'tls_failed'
  | 'too_large'
  | 'connection_failed'
  | 'bad_answer'
  | 'invalid_request'
  | 'aborted'

/** Carries the failure through undici to the caller. */
export class EgressError extends Error {
  readonly code: EgressFailureCode
  readonly rule: RefusalRule | undefined
  /** For the audit log only: never shown to a caller. */
  readonly address: string | undefined
  /** A byte of the request may have been sent, so a repeat might act twice. */
  mayHaveArrived = false

  constructor(
    code: EgressFailureCode,
    message: string,
    extras: { rule?: RefusalRule; address?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: extras.cause })
    this.name = 'EgressError'
    this.code = code
    this.rule = extras.rule
    this.address = extras.address
  }
}

export function blocked(reason: Refusal | RefusalRule, address?: string): EgressError {
  const { rule, message } = typeof reason === 'string' ? refusal(reason) : reason
  return new EgressError('blocked_address', message, { rule, address })
}

/** SDKs wrap what their `fetch` throws, some more than once: searches the causes for our own error. */
export function findEgressError(error: unknown): EgressError | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if (at instanceof EgressError) return at
  }
  return null
}
