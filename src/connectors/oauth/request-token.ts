import type { AuthorizationServerMetadata, OAuthTokens } from '@modelcontextprotocol/client'
import type { Egress } from '../../platform/egress/open-egress.ts'
import type { Secret } from '../../platform/secret.ts'
import type { OauthSettings } from '../auth/oauth-settings.ts'
import type { GrantServer } from './grant-store.ts'
import { OauthFailure, openOauthFetch } from './oauth-fetch.ts'

type Context = { egress: Egress }

export type OauthClient = { id: string; secret: Secret | null }

/** `resource` is that of RFC 8707, as it was asked for. */
export type TokenServer = Pick<GrantServer, 'issuer' | 'tokenUrl' | 'authMethods' | 'resource'>

type TokenRequest =
  | { kind: 'code'; code: string; verifier: string; redirectUri: string }
  | { kind: 'refresh'; refreshToken: Secret }
  | { kind: 'client'; scopes: readonly string[] }

/** A year. Longer ones, such as a time in milliseconds, may be beyond what a database can store. */
const longestSeconds = 31_536_000

/** Asks for a token. Throws an `OauthFailure`. */
export async function requestToken(
  ctx: Context,
  server: TokenServer,
  client: OauthClient,
  request: TokenRequest,
): Promise<OAuthTokens> {
  try {
    const tokens = await send(ctx, server, client, request)
    if (tokens.token_type.toLowerCase() !== 'bearer')
      throw new OauthFailure(
        `The server gives tokens of the kind ${tokens.token_type}, which are not supported.`,
      )
    const { expires_in: seconds } = tokens
    return seconds === undefined
      ? tokens
      : { ...tokens, expires_in: Math.max(0, Math.min(seconds, longestSeconds)) }
  } catch (cause) {
    throw await explainTokenError(cause)
  }
}

async function send(
  ctx: Context,
  server: TokenServer,
  { id, secret }: OauthClient,
  request: TokenRequest,
): Promise<OAuthTokens> {
  const sdk = await import('@modelcontextprotocol/client')
  const metadata: AuthorizationServerMetadata = {
    issuer: server.issuer,
    authorization_endpoint: server.tokenUrl,
    token_endpoint: server.tokenUrl,
    response_types_supported: ['code'],
    ...(server.authMethods.length > 0 ? { token_endpoint_auth_methods_supported: server.authMethods } : {}),
  }
  const clientInformation = { client_id: id, ...(secret ? { client_secret: secret.reveal() } : {}) }
  const resource = server.resource === null ? {} : { resource: server.resource }
  const shared = { metadata, ...resource, fetchFn: openOauthFetch(ctx) }
  switch (request.kind) {
    case 'code':
      return await sdk.exchangeAuthorization(server.issuer, {
        ...shared,
        clientInformation,
        authorizationCode: request.code,
        codeVerifier: request.verifier,
        redirectUri: request.redirectUri,
      })
    case 'refresh':
      return await sdk.refreshAuthorization(server.issuer, {
        ...shared,
        clientInformation,
        refreshToken: request.refreshToken.reveal(),
      })
    case 'client': {
      const provider = new sdk.ClientCredentialsProvider({
        clientId: id,
        clientSecret: secret?.reveal() ?? '',
        clientName: 'Bellhop',
        expectedIssuer: server.issuer,
        ...(request.scopes.length > 0 ? { scope: request.scopes.join(' ') } : {}),
      })
      return await sdk.fetchToken(provider, server.issuer, shared)
    }
    default:
      throw new Error(`Unhandled request ${request satisfies never}`)
  }
}

async function explainTokenError(cause: unknown): Promise<OauthFailure> {
  if (cause instanceof OauthFailure) return cause
  const { OAuthError } = await import('@modelcontextprotocol/client')
  if (cause instanceof OAuthError) {
    const code = String(cause.code)
    return new OauthFailure(`The authorization server refused (${code}): ${cause.message.slice(0, 300)}`, {
      code,
      cause,
    })
  }
  // It answered with something that cannot be read; what it did is not known.
  return new OauthFailure('The answer of the authorization server cannot be read.', { isUnsure: true, cause })
}

/** How the secret is sent: as configured, or as the server accepts it. */
export function authMethodsFor(
  { tokenAuth }: OauthSettings,
  supported: readonly string[] | undefined,
): string[] {
  switch (tokenAuth) {
    case 'basic':
      return ['client_secret_basic']
    case 'post':
      return ['client_secret_post']
    case 'none':
      return ['none']
    case 'auto':
      return [...(supported ?? [])]
    default:
      throw new Error(`Unhandled way ${tokenAuth satisfies never}`)
  }
}
