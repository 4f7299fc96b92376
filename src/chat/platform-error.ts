import { storable } from '../platform/db/storable.ts'

type Kind =
  /** Told to wait. Nothing was done. */
  | 'rate-limited'
  /** The request did not leave, or was turned away. Nothing was done. */
  | 'down'
  /** No answer, or one that says nothing: it may have been done. */
  | 'uncertain'
  /** Understood and refused; the same again would be refused again. */
  | 'refused'
  /** The credentials are no longer good. */
  | 'revoked'

/** Why a call of a chat platform failed, in the words that decide what happens next. */
export class PlatformError extends Error {
  readonly kind: Kind
  readonly retryAfterMs: number | null

  constructor(kind: Kind, message: string, extras: { retryAfterMs?: number; cause?: unknown } = {}) {
    // Mostly the platform's own words, which are kept and shown.
    super(storable(message), { cause: extras.cause })
    this.name = 'PlatformError'
    this.kind = kind
    this.retryAfterMs = extras.retryAfterMs ?? null
  }
}
