import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { Secret } from '../../platform/secret.ts'
import { editableDraft, getConnector } from '../manage/get-connector.ts'
import { connectorOf, serverOf } from './begin-sign-in.ts'
import { findAuthorizationServer } from './find-authorization-server.ts'
import { type GrantRow, type GrantServer, grantPlace, type Renewed } from './grant-store.ts'
import { OauthFailure } from './oauth-fetch.ts'
import { requestToken } from './request-token.ts'

type Context = { db: Db; vault: Vault; egress: Egress }

/** The next token: by the refresh token, or by the client credentials. Throws an `OauthFailure`. */
export async function renewToken(ctx: Context, grant: GrantRow): Promise<Renewed> {
  const { connectorId: id } = grant
  const loaded = await getConnector(ctx.db, id)
  const seal = (column: 'access_token' | 'refresh_token', value: string) =>
    ctx.vault.seal(new Secret(value), grantPlace(id, column))
  if (loaded.row.authType === 'oauth_client') {
    const draft = editableDraft(ctx, loaded)
    const { oauth } = draft
    if (!oauth?.clientId || !oauth.clientSecret)
      throw new OauthFailure('The client ID or the client secret is missing.', { code: 'invalid_client' })
    const found = await findAuthorizationServer(ctx, connectorOf(loaded.row, draft, oauth))
    const server = serverOf(found, oauth)
    const client = { id: oauth.clientId, secret: oauth.clientSecret }
    const tokens = await requestToken(ctx, server, client, { kind: 'client', scopes: oauth.scopes })
    return {
      server: JSON.stringify(server),
      clientId: oauth.clientId,
      registration: 'given',
      accessToken: seal('access_token', tokens.access_token),
      refreshToken: null,
      scopes: replaceNul(tokens.scope ?? oauth.scopes.join(' ')),
      lifetimeSeconds: tokens.expires_in ?? null,
    }
  }
  const open = (column: Parameters<typeof grantPlace>[1], sealed: string | null) => {
    const secret = sealed === null ? null : ctx.vault.openIfKeyIsKnown(sealed, grantPlace(id, column))
    if (sealed !== null && secret === null)
      throw new OauthFailure('What was granted cannot be decrypted, because its encryption key is gone.', {
        code: 'invalid_grant',
      })
    return secret
  }
  const refreshToken = open('refresh_token', grant.refreshToken)
  if (!refreshToken || grant.server === null || grant.clientId === null)
    throw new OauthFailure(
      'The token has ended, and the server gave none to renew it with. If it offers the scope offline_access, ask for it.',
      { code: 'invalid_grant' },
    )
  // `finishSignIn` wrote it.
  const server = JSON.parse(grant.server) as GrantServer
  const client = { id: grant.clientId, secret: open('client_secret', grant.clientSecret) }
  const tokens = await requestToken(ctx, server, client, { kind: 'refresh', refreshToken })
  return {
    server: grant.server,
    clientId: grant.clientId,
    registration: grant.registration,
    accessToken: seal('access_token', tokens.access_token),
    refreshToken:
      tokens.refresh_token === undefined ? grant.refreshToken : seal('refresh_token', tokens.refresh_token),
    scopes: tokens.scope === undefined ? grant.scopes : replaceNul(tokens.scope),
    lifetimeSeconds: tokens.expires_in ?? null,
  }
}
