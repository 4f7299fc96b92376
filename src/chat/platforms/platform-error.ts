import { replaceNul } from '../../platform/db/replace-nul.ts'

type Kind =
  /** Rate limited. Nothing was done. */
  | 'rate-limited'
  /** The request was not sent, or was turned away. Nothing was done. */
  | 'down'
  /** No answer, or a useless one: it may have been done. */
  | 'uncertain'
  /** Understood and refused; a retry would be refused too. */
  | 'refused'
  /** The credentials are no longer valid. */
  | 'revoked'

type Extras = { retryAfterMs?: number; code?: string | number; secret?: string; cause?: unknown }

/** Why a call of a chat platform failed. The kind decides what happens next. */
export class PlatformError extends Error {
  readonly kind: Kind
  readonly retryAfterMs: number | null
  /** The platform's own error code. */
  readonly code: string | number | null
  /** The secret that it refuses, if it is not the first one. */
  readonly secret: string | null

  constructor(kind: Kind, message: string, extras: Extras = {}) {
    // Mostly the platform's own message, which is stored and shown.
    super(replaceNul(message), { cause: extras.cause })
    this.name = 'PlatformError'
    this.kind = kind
    this.retryAfterMs = extras.retryAfterMs ?? null
    this.code = extras.code ?? null
    this.secret = extras.secret ?? null
  }
}

export function isRefusal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.kind === 'refused'
}

/** Null if we may not read it. */
export async function unlessRefused(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call
  } catch (error) {
    if (isRefusal(error)) return null
    throw error
  }
}
