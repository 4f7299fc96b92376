import { problem } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import type { Log } from '../../platform/log.ts'
import { throttleOidcStarts } from '../signing-in/throttle-guesses.ts'
import { findProvider, type ProviderRow } from '../store/oidc.ts'
import { clientSecretPlace, discoverProvider, redirectUri, type SecretSending } from './discover-provider.ts'
import { type Attempt, sealAttempt } from './oidc-attempt.ts'

type Context = { db: Db; vault: Vault; egress: Egress; log: Log; publicUrl: string; now: () => Date }

export async function requireProvider({ db }: { db: Db }): Promise<ProviderRow> {
  const provider = await findProvider(db)
  if (!provider) throw problem('not-found', 'No sign-in provider is configured. Use email and password.')
  return provider
}

export async function openClient(ctx: Context, provider: ProviderRow, sending?: SecretSending) {
  const clientSecret = ctx.vault.open(provider.clientSecret, clientSecretPlace)
  return discoverProvider(ctx, { ...provider, clientSecret }, sending)
}

/** The URL to send the browser to, and the cookie that ties the provider's answer to this browser. */
export async function beginSignIn(
  ctx: Context,
  to: string,
  source: string,
): Promise<{ url: string; cookie: string } | 'provider-away'> {
  const provider = await requireProvider(ctx)
  await throttleOidcStarts(ctx.db, source)
  const client = await openClient(ctx, provider).catch((error: unknown) => {
    ctx.log.warn({ err: error }, 'oidc.failed')
    return null
  })
  if (!client) return 'provider-away'
  const openid = await import('openid-client')
  const attempt: Attempt = {
    state: openid.randomState(),
    nonce: openid.randomNonce(),
    verifier: openid.randomPKCECodeVerifier(),
    to,
  }
  const url = openid.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri(ctx),
    scope: 'openid email profile',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  })
  return { url: url.href, cookie: sealAttempt(ctx, attempt) }
}
