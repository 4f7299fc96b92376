import { problem } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import type { VoidApprovals } from '../../shared/ports/voided.ts'
import { getConnector } from '../manage/get-connector.ts'
import {
  deleteGrant,
  findGrant,
  type GrantRow,
  type GrantServer,
  grantPlace,
  incrementConnectorVersion,
} from './grant-store.ts'
import { openOauthFetch } from './oauth-fetch.ts'

type Context = { db: Db; vault: Vault; egress: Egress; audit: Audit; voidApprovals: VoidApprovals }

/** Forgets what was granted. The server is asked to revoke it, too (RFC 7009); if it does not answer, it is forgotten all the same. */
export async function disconnect(ctx: Context, caller: Caller, id: ConnectorId): Promise<void> {
  const grant = await findGrant(ctx.db, id)
  await ctx.db.transaction().execute(async (tx) => {
    const { row } = await getConnector(tx, id, true)
    if (!(await deleteGrant(tx, id))) throw problem('not-found', 'This connector is not connected.')
    await incrementConnectorVersion(tx, id)
    await ctx.voidApprovals(tx, { connectorId: id })
    await ctx.audit(tx, {
      ...caller,
      action: 'connector.disconnected',
      subject: id,
      detail: { name: row.name, account: grant?.account ?? null },
    })
  })
  if (grant) await revoke(ctx, grant).catch(() => undefined)
}

async function revoke(ctx: Context, grant: GrantRow): Promise<void> {
  // `finishSignIn` wrote it.
  const server = grant.server === null ? null : (JSON.parse(grant.server) as GrantServer)
  if (!server?.revocationUrl || grant.clientId === null) return
  const open = (column: Parameters<typeof grantPlace>[1], sealed: string | null) =>
    sealed === null ? null : ctx.vault.openIfKeyIsKnown(sealed, grantPlace(grant.connectorId, column))
  const token = open('refresh_token', grant.refreshToken) ?? open('access_token', grant.accessToken)
  if (!token) return
  const secret = open('client_secret', grant.clientSecret)
  const inBody = !secret || !server.authMethods.includes('client_secret_basic')
  const body = new URLSearchParams({
    token: token.reveal(),
    ...(inBody ? { client_id: grant.clientId } : {}),
    ...(inBody && secret ? { client_secret: secret.reveal() } : {}),
  })
  const basic = Buffer.from(
    `${encodeURIComponent(grant.clientId)}:${encodeURIComponent(secret?.reveal() ?? '')}`,
  ).toString('base64')
  const ask = openOauthFetch(ctx)
  await ask(server.revocationUrl, {
    method: 'POST',
    headers: inBody ? {} : { authorization: `Basic ${basic}` },
    body,
  })
}
