import { z } from 'zod'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { parseJson } from '../../platform/json/parse-json.ts'
import { Secret } from '../../platform/secret.ts'
import { type Caller, mayActAs } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import type { VoidApprovals } from '../../shared/ports/voided.ts'
import { getConnector } from '../manage/get-connector.ts'
import { makeDue } from '../mcp/store.ts'
import type { Connectors } from '../open-connectors.ts'
import { callbackUrl } from './become-client.ts'
import { type Attempt, attemptPlace, hashOf } from './begin-sign-in.ts'
import { grantPlace, storeGrant, takeAttempt } from './grant-store.ts'
import { OauthFailure, openOauthFetch } from './oauth-fetch.ts'
import { requestToken } from './request-token.ts'

type Context = {
  db: Db
  vault: Vault
  egress: Egress
  publicUrl: string
  audit: Audit
  voidApprovals: VoidApprovals
  connectors: Pick<Connectors, 'recordHealth'>
}

/** Who returns: the signed-in person and their session. */
type Visitor = { caller: Caller; session: string } | null

/** The browser returns from the authorization server. Says where it goes next; what went wrong is shown with the connector. */
export async function finishSignIn(ctx: Context, query: URLSearchParams, visitor: Visitor): Promise<string> {
  const hash = hashOf(query.get('state') ?? '')
  const begun = await takeAttempt(ctx.db, hash)
  // Whoever began it must be the one who returns, or somebody could make an admin connect another account.
  if (!begun || !visitor || hashOf(visitor.session) !== begun.session) return '/connectors?sign-in=expired'
  if (!mayActAs(visitor.caller.actor, 'admin')) return '/connectors?sign-in=expired'
  const { connectorId } = begun
  // `beginSignIn` wrote it.
  const attempt = JSON.parse(ctx.vault.open(begun.sealed, attemptPlace(hash)).reveal()) as Attempt
  try {
    await finish(ctx, connectorId, attempt, query, visitor.caller)
  } catch (error) {
    if (!(error instanceof OauthFailure)) throw error
    await ctx.connectors.recordHealth({ id: connectorId, version: attempt.version }, error.message)
  }
  return `/connectors/${connectorId}`
}

async function finish(
  ctx: Context,
  id: ConnectorId,
  attempt: Attempt,
  query: URLSearchParams,
  caller: Caller,
): Promise<void> {
  await checkIssuer(attempt, query.get('iss') ?? undefined)
  const refused = query.get('error')
  if (refused === 'access_denied') throw new OauthFailure('You refused access; nothing was stored.')
  const code = query.get('code')
  if (refused !== null || code === null) {
    const says = query.get('error_description') ?? refused ?? 'It sent no code.'
    throw new OauthFailure(
      `The authorization server did not sign you in; nothing was stored. It says: ${says.slice(0, 300)}`,
    )
  }
  const client = {
    id: attempt.clientId,
    secret: attempt.clientSecret === null ? null : new Secret(attempt.clientSecret),
  }
  const request = { kind: 'code', code, verifier: attempt.verifier, redirectUri: callbackUrl(ctx) } as const
  const tokens = await requestToken(ctx, attempt.server, client, request)
  const account = await readAccount(ctx, attempt, tokens)
  const seal = (column: Parameters<typeof grantPlace>[1], value: string | null | undefined) =>
    value == null ? null : ctx.vault.seal(new Secret(value), grantPlace(id, column))
  await ctx.db.transaction().execute(async (tx) => {
    const { row } = await getConnector(tx, id, true)
    if (row.version !== attempt.version)
      throw new OauthFailure(
        'The connector was changed while you signed in; nothing was stored. Start again.',
      )
    await storeGrant(tx, id, {
      server: JSON.stringify(attempt.server),
      clientId: attempt.clientId,
      clientSecret: seal('client_secret', attempt.clientSecret),
      registration: attempt.registration,
      accessToken: seal('access_token', tokens.access_token),
      refreshToken: seal('refresh_token', tokens.refresh_token),
      scopes: replaceNul(tokens.scope ?? attempt.scopes.join(' ')),
      account: account && replaceNul(account),
      connectedBy: caller.actor.name,
      lifetimeSeconds: tokens.expires_in ?? null,
    })
    await ctx.voidApprovals(tx, { connectorId: id })
    if (row.type === 'mcp') await makeDue(tx, id)
    await ctx.audit(tx, {
      ...caller,
      action: 'connector.connected',
      subject: id,
      detail: { name: row.name, issuer: attempt.server.issuer, account },
    })
  })
}

/** An answer of another server than the one that was asked is not used: it may be somebody else’s code. */
async function checkIssuer(
  { server, knowsIssuer, namesItself }: Attempt,
  iss: string | undefined,
): Promise<void> {
  const sdk = await import('@modelcontextprotocol/client')
  if (!knowsIssuer) {
    if (iss === undefined || URL.parse(iss)?.origin === new URL(server.issuer).origin) return
    throw new OauthFailure(otherIssuer)
  }
  try {
    sdk.validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: server.issuer,
      issParameterSupported: namesItself,
    })
  } catch (cause) {
    throw new OauthFailure(otherIssuer, { cause })
  }
}

/** Does not repeat what the answer said: an attacker may have written it. */
const otherIssuer =
  'The answer came from another authorization server than the one you were sent to; nothing was stored. Start again, and tell the server’s operator if it happens again.'

const claimsShape = z.looseObject({
  email: z.string().optional(),
  preferred_username: z.string().optional(),
  name: z.string().optional(),
  sub: z.string().optional(),
})
const longestAccount = 200

/** Whom the token belongs to, if the server says so. Only a label: nothing is decided by it. */
async function readAccount(
  ctx: Context,
  { userinfoUrl, server }: Attempt,
  { id_token: idToken, access_token: accessToken }: { id_token?: string; access_token: string },
): Promise<string | null> {
  if (idToken === undefined) return null
  const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()
  const own = nameIn(parseJson(payload))
  const mayAsk = userinfoUrl !== null && new URL(userinfoUrl).origin === new URL(server.issuer).origin
  if (own?.isReadable || !mayAsk) return own?.name ?? null
  try {
    const ask = openOauthFetch(ctx)
    const answer = await ask(userinfoUrl, { headers: { authorization: `Bearer ${accessToken}` } })
    return nameIn(parseJson(await answer.text()))?.name ?? own?.name ?? null
  } catch (error) {
    if (!(error instanceof OauthFailure)) throw error
    return own?.name ?? null
  }
}

function nameIn(claims: unknown): { name: string; isReadable: boolean } | null {
  const { data } = claimsShape.safeParse(claims)
  const readable = data?.email ?? data?.preferred_username ?? data?.name
  const name = readable ?? data?.sub
  return name === undefined
    ? null
    : { name: name.slice(0, longestAccount), isReadable: readable !== undefined }
}
