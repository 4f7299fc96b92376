import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { isSecure, type OauthSettings } from '../auth/oauth-settings.ts'
import type { Draft } from '../manage/draft/draft.ts'
import { OauthFailure, openOauthFetch } from './oauth-fetch.ts'

export type FoundServer = {
  metadata: AuthorizationServerMetadata
  /** False if the issuer is only the origin of the addresses that somebody typed. */
  knowsIssuer: boolean
  resource: string | null
  scopes: string[]
}

type Context = { egress: Egress }
type Connector = { type: 'http' | 'mcp'; draft: Pick<Draft, 'baseUrl'> & { oauth: OauthSettings } }

/**
 * Where somebody signs in for this connector: as configured, from the metadata of the issuer (RFC 8414), or from what the server
 * itself says (RFC 9728). Throws an `OauthFailure`.
 */
export async function findAuthorizationServer(ctx: Context, connector: Connector): Promise<FoundServer> {
  const { oauth } = connector.draft
  const found = (await configured(ctx, oauth)) ?? (await discovered(ctx, connector))
  const { metadata } = found
  const urls = [
    metadata.authorization_endpoint,
    metadata.token_endpoint,
    metadata.registration_endpoint,
    revocationUrlOf(metadata),
  ]
  const insecure = urls.find((url) => typeof url === 'string' && !isSecure(url))
  if (insecure) throw new OauthFailure(`The authorization server names ${insecure}, which is not https.`)
  return {
    ...found,
    resource: oauth.resource ?? found.resource,
    scopes: oauth.scopes.length > 0 ? oauth.scopes : withRefresh(found.scopes, metadata),
  }
}

/** Metadata of OpenID Connect does not declare it, but may have it. */
export function revocationUrlOf(metadata: AuthorizationServerMetadata): string | null {
  const url = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : null
  return typeof url === 'string' ? url : null
}

async function configured(ctx: Context, oauth: OauthSettings): Promise<FoundServer | null> {
  const { issuer, authorizationUrl, tokenUrl, revocationUrl } = oauth
  const nothing = { resource: null, scopes: [] }
  if (tokenUrl !== null) {
    const metadata = {
      issuer: issuer ?? new URL(authorizationUrl ?? tokenUrl).origin,
      authorization_endpoint: authorizationUrl ?? tokenUrl,
      token_endpoint: tokenUrl,
      ...(revocationUrl === null ? {} : { revocation_endpoint: revocationUrl }),
      response_types_supported: ['code'],
    }
    return { ...nothing, metadata, knowsIssuer: issuer !== null }
  }
  if (issuer === null) return null
  const sdk = await import('@modelcontextprotocol/client')
  const fetchFn = openOauthFetch(ctx)
  const metadata = await explain(() => sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn }))
  if (!metadata)
    throw new OauthFailure(`${issuer} publishes no metadata. Enter its URLs instead of the issuer.`)
  return { ...nothing, metadata, knowsIssuer: true }
}

async function discovered(ctx: Context, { type, draft: { baseUrl } }: Connector): Promise<FoundServer> {
  const sdk = await import('@modelcontextprotocol/client')
  const fetchFn = openOauthFetch(ctx)
  const challenge = await readChallenge(ctx, type, baseUrl)
  const { resourceMetadataUrl } = challenge
  const found = await explain(() =>
    sdk.discoverOAuthServerInfo(baseUrl, {
      fetchFn,
      ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
    }),
  )
  const { resourceMetadata } = found
  const { resource } = resourceMetadata ?? {}
  const isOther =
    resource !== undefined &&
    !sdk.checkResourceAllowed({ requestedResource: baseUrl, configuredResource: resource })
  if (isOther)
    throw new OauthFailure(
      `The server’s metadata is about another resource (${resource}), so nobody is sent to sign in.`,
    )
  const metadata =
    found.authorizationServerMetadata ??
    // Servers of the revision 2025-03-26 have fixed paths.
    (type === 'mcp' && !resourceMetadata && challenge.status === 401 ? oldPaths(baseUrl) : null)
  if (!metadata)
    throw new OauthFailure(
      'The server does not say where to sign in. Enter the issuer, or the authorization URL and the token URL.',
    )
  return {
    metadata,
    knowsIssuer: true,
    resource: resource ?? null,
    scopes: challenge.scope?.split(' ').filter(Boolean) ?? resourceMetadata?.scopes_supported ?? [],
  }
}

/** Asks the server without credentials: the 401 names its metadata. */
async function readChallenge(ctx: Context, type: 'http' | 'mcp', url: string) {
  const sdk = await import('@modelcontextprotocol/client')
  const limits = { headersTimeoutMs: 10_000, idleTimeoutMs: 10_000 }
  const ask = ctx.egress.openFetch(limits, 'oauth')
  const initialize = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: sdk.LATEST_PROTOCOL_VERSION,
        capabilities: {},
        clientInfo: { name: 'bellhop', version: '1' },
      },
    }),
  }
  const answer = await ask(url, type === 'mcp' ? initialize : {}).catch((cause: unknown) => {
    throw new OauthFailure(`${new URL(url).host} cannot be reached.`, { cause })
  })
  await answer.body?.cancel()
  const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(answer)
  return { status: answer.status, resourceMetadataUrl, scope }
}

function oldPaths(url: string): AuthorizationServerMetadata {
  const { origin } = new URL(url)
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
  }
}

/** Many servers give a refresh token only to whoever asks for this scope. */
function withRefresh(
  scopes: string[],
  { scopes_supported: supported }: AuthorizationServerMetadata,
): string[] {
  if (scopes.length === 0 || !supported?.includes('offline_access')) return scopes
  return [...new Set([...scopes, 'offline_access'])]
}

/** The SDK's errors, in words for people. */
async function explain<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    if (cause instanceof OauthFailure) throw cause
    const { IssuerMismatchError } = await import('@modelcontextprotocol/client')
    if (cause instanceof IssuerMismatchError)
      throw new OauthFailure(
        `The authorization server belongs to another address than it says (expected ${cause.expected}, got ${cause.received}), so nobody is sent there.`,
        { cause },
      )
    throw new OauthFailure('The metadata of the authorization server cannot be read.', { cause })
  }
}
