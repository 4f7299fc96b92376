import type { Vault } from '../../platform/crypto/vault.ts'
import { Secret } from '../../platform/secret.ts'
import { readCookie, writeCookie } from '../signing-in/own-cookie.ts'

type Context = { vault: Vault; publicUrl: string; now: () => Date }

/** What must match when the browser returns. Kept sealed in a cookie, so that the server stores nothing. */
export type Attempt = { state: string; nonce: string; verifier: string; to: string }

const name = 'bellhop-oidc'
const place = { table: 'oidc', row: 'attempt', column: 'cookie' }
/** How long the person may spend at the provider. */
const lifeSeconds = 600
/** For this long the cookie still remembers where the person wanted to go, for another try. */
const rememberedSeconds = 86_400

export function sealAttempt(ctx: Context, attempt: Attempt): string {
  const until = ctx.now().getTime() + lifeSeconds * 1000
  const sealed = ctx.vault.seal(new Secret(JSON.stringify({ ...attempt, until })), place)
  return writeCookie(ctx, name, sealed, rememberedSeconds)
}

export function clearAttempt(ctx: Context): string {
  return writeCookie(ctx, name, '', 0)
}

/** Null if there is none or it was forged. */
export function openAttempt(ctx: Context, request: Request): (Attempt & { expired: boolean }) | null {
  const sealed = readCookie(ctx, name, request)
  if (!sealed) return null
  try {
    // Only sealAttempt can have produced what opens at this place.
    const { until, ...attempt } = JSON.parse(ctx.vault.open(sealed, place).reveal()) as Attempt & {
      until: number
    }
    return { ...attempt, expired: until <= ctx.now().getTime() }
  } catch {
    return null
  }
}
