import { findEgressError } from '../../platform/egress/egress-error.ts'
import { limitAnswers } from '../../platform/egress/limit-answers.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { isSecure } from '../auth/oauth-settings.ts'

type Fetch = typeof globalThis.fetch

const timeoutMs = 10_000
/** Metadata and tokens are a few kilobytes. */
const maxMib = 1

/** An authorization server cannot be used, or has refused something. The message is for people; parts of it may be the server's. */
export class OauthFailure extends Error {
  /** Its error code, if it sent one: `invalid_grant`, `access_denied` … */
  readonly code: string | null
  /** It may have received the request and acted on it. */
  readonly isUnsure: boolean

  constructor(message: string, extras: { code?: string; isUnsure?: boolean; cause?: unknown } = {}) {
    super(message, { cause: extras.cause })
    this.name = 'OauthFailure'
    this.code = extras.code ?? null
    this.isUnsure = extras.isUnsure ?? false
  }
}

/** For everything that OAuth asks: guarded, without redirects, and never in clear over a network. */
export function openOauthFetch({ egress }: { egress: Egress }): Fetch {
  const limits = { headersTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs }
  const guarded = limitAnswers(egress.openFetch(limits, 'oauth'), maxMib, 'The authorization server')
  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    if (!isSecure(url)) throw new OauthFailure(`${url} is not https, so nothing is sent there.`)
    try {
      const answer = await guarded(input, init)
      if (answer.status >= 300 && answer.status < 400)
        throw new OauthFailure(`${new URL(url).host} redirects to another address, and that is not followed.`)
      return answer
    } catch (cause) {
      if (cause instanceof OauthFailure) throw cause
      // The SDK takes a TypeError for a refusal by a browser and goes on.
      const egressError = findEgressError(cause)
      const why = egressError?.message ?? 'The connection failed.'
      throw new OauthFailure(`${new URL(url).host} cannot be reached: ${why}`, {
        // The guarded fetch throws its own errors before any byte of the request is sent.
        isUnsure: egressError === null,
        cause,
      })
    }
  }
}
