import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { isLoopback } from '../../platform/http-server/is-loopback.ts'
import { Secret } from '../../platform/secret.ts'
import type { OauthSettings } from '../auth/oauth-settings.ts'
import { type GrantRow, grantPlace, type Registration } from './grant-store.ts'
import { OauthFailure, openOauthFetch } from './oauth-fetch.ts'
import type { OauthClient } from './request-token.ts'

type Context = { egress: Egress; vault: Vault; publicUrl: string }

/** Where authorization servers send people back to: one URL for all connectors. */
export function callbackUrl({ publicUrl }: { publicUrl: string }): string {
  return `${publicUrl}/api/v1/oauth/callback`
}

/** The address of our own description, which is our client id where servers read such documents. Only https ones count. */
export function clientDocumentUrl({ publicUrl }: { publicUrl: string }): string | null {
  return publicUrl.startsWith('https:') ? `${publicUrl}/oauth/client.json` : null
}

export function clientMetadata(ctx: { publicUrl: string }) {
  return {
    client_name: 'Bellhop',
    client_uri: ctx.publicUrl,
    redirect_uris: [callbackUrl(ctx)],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

/** How Bellhop would become a client there: as given, by its own description, or by registering itself. */
export function chooseRegistration(
  ctx: { publicUrl: string },
  { clientId }: OauthSettings,
  metadata: AuthorizationServerMetadata,
): Registration | 'manual' {
  if (clientId !== null) return 'given'
  if (metadata.client_id_metadata_document_supported === true && clientDocumentUrl(ctx)) return 'cimd'
  return metadata.registration_endpoint ? 'dcr' : 'manual'
}

export async function becomeClient(
  ctx: Context,
  oauth: OauthSettings,
  metadata: AuthorizationServerMetadata,
  scopes: readonly string[],
  before: GrantRow | null,
): Promise<OauthClient & { registration: Registration }> {
  const registration = chooseRegistration(ctx, oauth, metadata)
  switch (registration) {
    case 'given':
      return { id: oauth.clientId ?? '', secret: oauth.clientSecret, registration }
    case 'cimd':
      return { id: clientDocumentUrl(ctx) ?? '', secret: null, registration }
    case 'dcr':
      return known(ctx, metadata, before) ?? (await register(ctx, metadata, scopes))
    case 'manual':
      throw new OauthFailure(
        `${new URL(metadata.issuer).host} does not let Bellhop register itself. Register an app there with the callback URL ` +
          `${callbackUrl(ctx)} and enter its client id in the settings of the connector.`,
      )
    default:
      throw new Error(`Unhandled registration ${registration satisfies never}`)
  }
}

/** The client of the last sign-in there: it need not register twice. */
function known({ vault }: Context, { issuer }: AuthorizationServerMetadata, before: GrantRow | null) {
  if (before?.registration !== 'dcr' || before.clientId === null || before.server === null) return null
  // `finishSignIn` wrote it.
  if ((JSON.parse(before.server) as { issuer: string }).issuer !== issuer) return null
  const { connectorId, clientSecret } = before
  const secret =
    clientSecret && vault.openIfKeyIsKnown(clientSecret, grantPlace(connectorId, 'client_secret'))
  if (clientSecret && !secret) return null
  return { id: before.clientId, secret: secret || null, registration: 'dcr' as const }
}

async function register(ctx: Context, metadata: AuthorizationServerMetadata, scopes: readonly string[]) {
  const sdk = await import('@modelcontextprotocol/client')
  const supported = metadata.token_endpoint_auth_methods_supported
  const method = supported && !supported.includes('none') ? supported[0] : 'none'
  try {
    const client = await sdk.registerClient(metadata.issuer, {
      metadata,
      clientMetadata: {
        ...clientMetadata(ctx),
        token_endpoint_auth_method: method,
        application_type: isLoopback(new URL(ctx.publicUrl)) ? 'native' : 'web',
      },
      ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
      fetchFn: openOauthFetch(ctx),
    })
    const secret = client.client_secret === undefined ? null : new Secret(client.client_secret)
    return { id: client.client_id, secret, registration: 'dcr' as const }
  } catch (cause) {
    if (cause instanceof OauthFailure) throw cause
    const why = cause instanceof sdk.RegistrationRejectedError ? `: ${cause.body.slice(0, 300)}` : '.'
    throw new OauthFailure(
      `${new URL(metadata.issuer).host} refused to register Bellhop${why} Register an app there by hand with the callback URL ` +
        `${callbackUrl(ctx)} and enter its client id in the settings of the connector.`,
      { cause },
    )
  }
}
