import type { ClientAuth, Configuration } from 'openid-client'
import type { Place } from '../../platform/crypto/vault.ts'
import { limitAnswers } from '../../platform/egress/limit-answers.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { isLoopback } from '../../platform/http-server/is-loopback.ts'
import type { Secret } from '../../platform/secret.ts'

type Context = { egress: Egress; publicUrl: string }
/** The client secret is sent in the body, or as HTTP Basic: many providers accept only the way that the client is registered for. */
export type SecretSending = { asBasic?: boolean }
type Client = { issuer: string; clientId: string; clientSecret: Secret }

/** Metadata, keys and tokens are a few kilobytes. */
const maxMib = 1

export const clientSecretPlace: Place = { table: 'oidc_provider', row: 'provider', column: 'client_secret' }

/** Where the provider sends people back to; it must be registered there. */
export function redirectUri({ publicUrl }: { publicUrl: string }): string {
  return `${publicUrl}/api/v1/session/oidc/callback`
}

/** Fetches the provider's addresses and keys through the guarded egress, as for any address that an admin typed. */
export async function discoverProvider(
  ctx: Context,
  client: Client,
  { asBasic = false }: SecretSending = {},
): Promise<Configuration> {
  const openid = await import('openid-client')
  const issuer = new URL(client.issuer)
  const guarded = ctx.egress.openFetch({ headersTimeoutMs: 10_000, idleTimeoutMs: 10_000 }, 'oidc')
  const secret = client.clientSecret.reveal()
  const [inBody, inHeader] = [openid.ClientSecretPost(secret), openid.ClientSecretBasic(secret)]
  const authenticate: ClientAuth = (server, ...request) => {
    const accepted = server.token_endpoint_auth_methods_supported
    const takesBody = accepted?.includes('client_secret_post') ?? true
    return (takesBody && !asBasic ? inBody : inHeader)(server, ...request)
  }
  const limited = limitAnswers(guarded, maxMib, 'The sign-in provider')
  return openid.discovery(issuer, client.clientId, secret, authenticate, {
    // The library passes what fetch takes; only the names of the types differ.
    [openid.customFetch]: (url, init) => limited(url, init as RequestInit),
    timeout: 20,
    execute: isLoopback(issuer) ? [openid.allowInsecureRequests] : [],
  })
}
