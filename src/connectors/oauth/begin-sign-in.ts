import { createHash, randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { problem } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { Secret } from '../../platform/secret.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import type { oauthPlanShape } from '../auth/contract.ts'
import type { OauthSettings } from '../auth/oauth-settings.ts'
import type { Draft } from '../manage/draft/draft.ts'
import { editableDraft, getConnector } from '../manage/get-connector.ts'
import type { ConnectorRow } from '../manage/store.ts'
import { becomeClient, callbackUrl, chooseRegistration } from './become-client.ts'
import { type FoundServer, findAuthorizationServer, revocationUrlOf } from './find-authorization-server.ts'
import {
  findGrant,
  type GrantRow,
  type GrantServer,
  insertAttempt,
  type Registration,
} from './grant-store.ts'
import { OauthFailure } from './oauth-fetch.ts'
import { authMethodsFor } from './request-token.ts'

type Context = { db: Db; vault: Vault; egress: Egress; publicUrl: string }
type Plan = z.input<typeof oauthPlanShape>

/** What must be known when the browser returns. Kept sealed. */
export type Attempt = {
  verifier: string
  server: GrantServer
  knowsIssuer: boolean
  /** Whether the server promises to name itself in its answer (RFC 9207). */
  namesItself: boolean
  userinfoUrl: string | null
  clientId: string
  clientSecret: string | null
  registration: Registration
  scopes: string[]
  /** Of the connector: if it was changed meanwhile, the token would be for something else. */
  version: number
}

export const attemptPlace = (row: string) => ({ table: 'oauth_attempts', row, column: 'sealed' })

/** What signing in would do. Nobody is sent anywhere yet. */
export async function planSignIn(ctx: Context, id: ConnectorId): Promise<Plan> {
  return (await asProblem(() => prepare(ctx, id))).plan
}

/** The URL to send the browser to. `session` is that of the admin who will return. */
export async function beginSignIn(
  ctx: Context,
  id: ConnectorId,
  confirmedIssuer: string | undefined,
  session: string,
): Promise<{ authorizationUrl: string }> {
  return await asProblem(async () => {
    const { row, oauth, found, plan, before } = await prepare(ctx, id)
    const expected = confirmedIssuer ?? issuerOf(before)
    if (expected !== null && expected !== plan.issuer)
      throw new OauthFailure(
        `The server now wants you to sign in at ${plan.issuer}, not at ${expected}. Nobody was sent there. Check that this is ` +
          'right, and start again.',
      )
    const { metadata, scopes, resource } = found
    const client = await becomeClient(ctx, oauth, metadata, scopes, before)
    const sdk = await import('@modelcontextprotocol/client')
    const state = randomBytes(32).toString('base64url')
    const begun = await sdk.startAuthorization(metadata.issuer, {
      metadata,
      clientInformation: { client_id: client.id },
      redirectUrl: callbackUrl(ctx),
      state,
      ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
      ...(resource === null ? {} : { resource }),
    })
    for (const [name, value] of Object.entries(oauth.extraParams)) {
      if (!ours.has(name)) begun.authorizationUrl.searchParams.set(name, value)
    }
    const attempt: Attempt = {
      verifier: begun.codeVerifier,
      server: serverOf(found, oauth),
      knowsIssuer: found.knowsIssuer,
      namesItself: metadata.authorization_response_iss_parameter_supported === true,
      userinfoUrl: typeof metadata.userinfo_endpoint === 'string' ? metadata.userinfo_endpoint : null,
      clientId: client.id,
      clientSecret: client.secret?.reveal() ?? null,
      registration: client.registration,
      scopes,
      version: row.version,
    }
    const hash = hashOf(state)
    const sealed = ctx.vault.seal(new Secret(JSON.stringify(attempt)), attemptPlace(hash))
    await insertAttempt(ctx.db, hash, { connectorId: id, session: hashOf(session), sealed })
    return { authorizationUrl: begun.authorizationUrl.href }
  })
}

/** What the flow itself decides. */
const ours = new Set([
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'scope',
  'resource',
  'code_challenge',
  'code_challenge_method',
])

async function prepare(ctx: Context, id: ConnectorId) {
  const loaded = await getConnector(ctx.db, id)
  const { row } = loaded
  const draft = editableDraft(ctx, loaded)
  if (row.authType !== 'oauth' || !draft.oauth)
    throw problem(
      'invalid-input',
      'This connector does not use OAuth. Set its authentication to "oauth" first.',
    )
  const { oauth } = draft
  const found = await findAuthorizationServer(ctx, connectorOf(row, draft, oauth))
  const before = await findGrant(ctx.db, id)
  const known = issuerOf(before)
  const { issuer, authorization_endpoint: signInAt } = found.metadata
  // What was granted before is asked for again, and with it what the server has demanded since.
  if (before?.wantedScopes && known === issuer)
    found.scopes = [
      ...new Set([...found.scopes, ...splitScopes(before.scopes), ...splitScopes(before.wantedScopes)]),
    ]
  const plan: Plan = {
    issuer,
    signInAt: new URL(signInAt).host,
    scopes: found.scopes,
    resource: found.resource,
    registration: chooseRegistration(ctx, oauth, found.metadata),
    callbackUrl: callbackUrl(ctx),
    changed: known !== null && known !== issuer,
  }
  return { row, oauth, found, plan, before }
}

export function connectorOf(row: Pick<ConnectorRow, 'type'>, { baseUrl }: Draft, oauth: OauthSettings) {
  return { type: row.type, draft: { baseUrl, oauth } }
}

export function serverOf({ metadata, resource }: FoundServer, oauth: OauthSettings): GrantServer {
  return {
    issuer: metadata.issuer,
    tokenUrl: metadata.token_endpoint,
    revocationUrl: revocationUrlOf(metadata),
    resource,
    authMethods: authMethodsFor(oauth, metadata.token_endpoint_auth_methods_supported),
  }
}

function splitScopes(scopes: string): string[] {
  return scopes.split(' ').filter(Boolean)
}

function issuerOf(grant: GrantRow | null): string | null {
  // `finishSignIn` wrote it.
  return grant?.server ? (JSON.parse(grant.server) as GrantServer).issuer : null
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OauthFailure) throw problem('oauth-failed', error.message, { cause: error })
    throw error
  }
}
