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

type Extras = { retryAfterMs?: number; code?: string | number; cause?: unknown }

/** Why a call of a chat platform failed, in the words that decide what happens next. */
export class PlatformError extends Error {
  readonly kind: Kind
  readonly retryAfterMs: number | null
  /** The platform's own word or number for what is wrong. */
  readonly code: string | number | null

  constructor(kind: Kind, message: string, extras: Extras = {}) {
    // Mostly the platform's own words, which are kept and shown.
    super(storable(message), { cause: extras.cause })
    this.name = 'PlatformError'
    this.kind = kind
    this.retryAfterMs = extras.retryAfterMs ?? null
    this.code = extras.code ?? null
  }
}

export function isRefusal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.kind === 'refused'
}

/** Where we may not read there is nothing for us. */
export async function unlessRefused(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call
  } catch (error) {
    if (isRefusal(error)) return null
    throw error
  }
}
