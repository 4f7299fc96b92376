import { type Refusal, type RefusalRule, refusal } from './refusal.ts'

/** Why no whole answer came. The tool slice hands these to the agent as data, so the words stay stable. */
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

/** Travels through undici from the place of the fault to the one who asked. */
export class EgressError extends Error {
  readonly code: EgressFailureCode
  readonly rule: RefusalRule | undefined
  /** For the audit log only: never part of what a caller is told. */
  readonly address: string | undefined
  /** A byte of the request may have left this machine, so that a repeat might do the thing twice. */
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

/** SDKs wrap what their `fetch` throws, some more than once: the egress fault is somewhere below. */
export function findEgressError(error: unknown): EgressError | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if (at instanceof EgressError) return at
  }
  return null
}
