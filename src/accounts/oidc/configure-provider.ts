import { addressRefused, invalidField, problem } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { isLoopback } from '../../platform/http-server/is-loopback.ts'
import { Secret } from '../../platform/secret.ts'
import type { Caller } from '../../shared/actor.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import type { OidcProvider } from '../contract.ts'
import { forgetClaims } from '../store/groups.ts'
import { findProvider, type ProviderRow, removeProvider, storeProvider } from '../store/oidc.ts'
import { clientSecretPlace, discoverProvider } from './discover-provider.ts'

type Context = { db: Db; vault: Vault; egress: Egress; publicUrl: string }
type Wanted = Omit<OidcProvider, 'clientSecret'> & { clientSecret?: string }

export function toProvider({ clientSecret: _sealed, ...row }: ProviderRow): OidcProvider {
  return { ...row, clientSecret: { set: true } }
}

/** Saved only if the provider answers, so that a wrong address shows now and not at the next sign-in. */
export async function configureProvider(
  ctx: Context,
  caller: Caller,
  { clientSecret, ...wanted }: Wanted,
): Promise<OidcProvider> {
  const secret = await chooseSecret(ctx, wanted.issuer, clientSecret)
  await refuseUnusable(ctx, { ...wanted, clientSecret: secret })
  const row = { ...wanted, clientSecret: ctx.vault.seal(secret, clientSecretPlace) }
  await ctx.db.transaction().execute(async (tx) => {
    if ((await findProvider(tx))?.issuer !== row.issuer) await forgetClaims(tx)
    await storeProvider(tx, row)
    await recordAudit(tx, { ...caller, action: 'oidc.configured', detail: wanted })
  })
  return toProvider(row)
}

export async function forgetProvider({ db }: Context, caller: Caller): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await removeProvider(tx))) throw problem('not-found', 'No provider is configured.')
    await forgetClaims(tx)
    await recordAudit(tx, { ...caller, action: 'oidc.removed' })
  })
}

/** A stored secret is never sent to another issuer than the one it was given for. */
async function chooseSecret(
  { db, vault }: Context,
  issuer: string,
  given: string | undefined,
): Promise<Secret> {
  if (given !== undefined) return new Secret(given)
  const known = await findProvider(db)
  if (known?.issuer === issuer) {
    const stored = vault.openIfKeyIsKnown(known.clientSecret, clientSecretPlace)
    if (stored) return stored
    throw invalidField(
      '/clientSecret',
      'The stored secret cannot be decrypted, because its encryption key is gone. Enter it again.',
    )
  }
  throw invalidField('/clientSecret', 'is needed for a new issuer')
}

async function refuseUnusable(
  ctx: Context,
  client: { issuer: string; clientId: string; clientSecret: Secret },
): Promise<void> {
  const issuer = new URL(client.issuer)
  // Plain http is for a provider on the same machine; over a network it would expose people's tokens.
  if (issuer.protocol !== 'https:' && !isLoopback(issuer)) {
    throw invalidField('/issuer', 'must begin with https://')
  }
  const refusal = await ctx.egress.check(client.issuer, 'oidc')
  if (refusal) throw addressRefused(refusal, '/issuer')
  try {
    await discoverProvider(ctx, client)
  } catch (cause) {
    throw problem('invalid-input', 'The provider does not answer as OpenID Connect requires.', {
      cause,
      errors: [
        {
          pointer: '/issuer',
          detail:
            'has no usable /.well-known/openid-configuration; copy the issuer from the provider’s page exactly',
        },
      ],
    })
  }
}
