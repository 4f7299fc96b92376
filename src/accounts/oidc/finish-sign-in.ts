import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import type { Log } from '../../platform/log.ts'
import { anonymousActor } from '../../shared/actor.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { namesAllClaims } from '../groups/join-by-claims.ts'
import { type NewSession, startSession } from '../signing-in/start-session.ts'
import { throttleSource } from '../signing-in/throttle-guesses.ts'
import type { ProviderRow } from '../store/oidc.ts'
import type { Visit } from '../store/sessions.ts'
import type { UserRow } from '../store/users.ts'
import { openClient, requireProvider } from './begin-sign-in.ts'
import { redirectUri, type SecretSending } from './discover-provider.ts'
import { type Claims, matchUser } from './match-user.ts'
import type { openAttempt } from './oidc-attempt.ts'

type Context = { db: Db; vault: Vault; egress: Egress; log: Log; publicUrl: string; now: () => Date }

type Refusal = 'expired' | 'provider-failed' | 'email-not-verified' | 'not-invited' | 'disabled'

/** The person has a second factor here and was not asked for one at the provider. */
type NeedsCode = { needsCodeOf: UserRow }

/** Called when the browser returns from the provider. */
export async function finishSignIn(
  ctx: Context,
  request: Request,
  attempt: ReturnType<typeof openAttempt>,
  visit: Visit,
): Promise<NewSession | NeedsCode | Refusal> {
  if (!attempt || attempt.expired) return 'expired'
  const provider = await requireProvider(ctx)
  const guess = await throttleSource(ctx.db, visit.source)
  const claims = await readClaims(ctx, provider, { request, attempt }).catch((error: unknown) => {
    ctx.log.warn({ err: error }, 'oidc.failed')
    return null
  })
  const found = claims ? await matchUser(ctx.db, provider, claims, visit) : 'provider-failed'
  if (typeof found !== 'string') {
    await guess.undo()
    if (found.totpConfirmedAt && !hasSecondFactor(claims)) return { needsCodeOf: found }
    return startSession(ctx.db, found, visit)
  }
  await recordAudit(ctx.db, {
    actor: anonymousActor,
    action: 'session.refused',
    source: visit.source,
    detail: { because: found, provider: provider.issuer },
  })
  return found
}

/** RFC 8176: the provider says that it asked for more than one factor. */
function hasSecondFactor(claims: Claims | null): boolean {
  return Array.isArray(claims?.amr) && claims.amr.includes('mfa')
}

type Returned = { request: Request; attempt: { state: string; nonce: string; verifier: string } }

async function readClaims(ctx: Context, provider: ProviderRow, returned: Returned): Promise<Claims> {
  const openid = await import('openid-client')
  // A provider that refuses the client has not looked at the code, so the code is still good for the other way.
  const { client, tokens } = await redeemCode(ctx, provider, returned).catch((error: unknown) => {
    if (!refusesClient(openid, error)) throw error
    return redeemCode(ctx, provider, returned, { asBasic: true })
  })
  const claims = tokens.claims()
  if (!claims) throw new Error('The provider sent no ID token.')
  if (claims.sub.includes('\0')) throw new Error('The provider sent a subject with a NUL character.')
  // Providers may tell groups only there.
  const isWhole = claims.email !== undefined && (await namesAllClaims(ctx.db, claims))
  const mayAsk = claims.email === undefined || client.serverMetadata().userinfo_endpoint !== undefined
  if (isWhole || !mayAsk) return claims
  return { ...claims, ...(await openid.fetchUserInfo(client, tokens.access_token, claims.sub)) }
}

/** RFC 6749 §5.2. */
function refusesClient(openid: typeof import('openid-client'), error: unknown): boolean {
  if (error instanceof openid.ResponseBodyError) return error.error === 'invalid_client'
  return error instanceof openid.WWWAuthenticateChallengeError && error.status === 401
}

async function redeemCode(
  ctx: Context,
  provider: ProviderRow,
  { request, attempt }: Returned,
  sending?: SecretSending,
) {
  const client = await openClient(ctx, provider, sending)
  const openid = await import('openid-client')
  // Behind a proxy, the request's own URL is not the one the provider was given.
  const answered = new URL(redirectUri(ctx))
  answered.search = new URL(request.url).search
  const tokens = await openid.authorizationCodeGrant(client, answered, {
    pkceCodeVerifier: attempt.verifier,
    expectedState: attempt.state,
    expectedNonce: attempt.nonce,
    idTokenExpected: true,
  })
  return { client, tokens }
}
