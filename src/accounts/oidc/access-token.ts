import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { limitAnswers } from '../../platform/egress/limit-answers.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import type { Log } from '../../platform/log.ts'
import type { Actor } from '../../shared/actor.ts'
import { findIdentity, findProvider, type ProviderRow } from '../store/oidc.ts'
import { findUser } from '../store/users.ts'
import { openClient } from './begin-sign-in.ts'

type Context = { db: Db; vault: Vault; egress: Egress; log: Log; publicUrl: string; now: () => Date }

/** Whose access token this is, of the OpenID provider where people sign in. Null if it is not valid here. */
export type FindTokenOwner = (ctx: Context, token: string) => Promise<Actor | null>

/** What a token must be meant for. */
export function mcpResource({ publicUrl }: { publicUrl: string }): string {
  return `${publicUrl}/mcp`
}

/** Where clients read how to get a token; null if there is no provider to get one from. */
export async function resourceMetadataUrl(ctx: { db: Db; publicUrl: string }): Promise<string | null> {
  return (await findProvider(ctx.db)) ? `${ctx.publicUrl}/.well-known/oauth-protected-resource/mcp` : null
}

/** Keeps the keys of the provider, which change rarely. */
export function openTokenOwners(): FindTokenOwner {
  let known: { issuer: string; keys: JWTVerifyGetKey } | undefined
  return async (ctx, token) => {
    const provider = await findProvider(ctx.db)
    if (!provider || token.split('.').length !== 3) return null
    try {
      if (known?.issuer !== provider.issuer)
        known = { issuer: provider.issuer, keys: await openKeys(ctx, provider) }
      const { payload } = await jwtVerify(token, known.keys, {
        issuer: provider.issuer,
        // A token for anything else, also one that only says who somebody is, must not call tools.
        audience: mcpResource(ctx),
        requiredClaims: ['exp', 'sub'],
        currentDate: ctx.now(),
      })
      return await findOwner(ctx, provider.issuer, payload.sub ?? '')
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) ctx.log.warn({ err: error }, 'oidc.failed')
      return null
    }
  }
}

async function openKeys(ctx: Context, provider: ProviderRow): Promise<JWTVerifyGetKey> {
  const { jwks_uri: uri } = (await openClient(ctx, provider)).serverMetadata()
  if (!uri) throw new Error(`${provider.issuer} publishes no keys.`)
  const limits = { headersTimeoutMs: 10_000, idleTimeoutMs: 10_000 }
  const guarded = limitAnswers(ctx.egress.openFetch(limits, 'oidc'), 1, 'The sign-in provider')
  // The library passes what fetch takes; only the names of the types differ.
  return createRemoteJWKSet(new URL(uri), { [customFetch]: (url, init) => guarded(url, init as RequestInit) })
}

/** Only somebody who has signed in here through the provider before. */
async function findOwner({ db }: Context, issuer: string, subject: string): Promise<Actor | null> {
  const userId = await findIdentity(db, issuer, subject)
  const user = userId === null ? null : await findUser(db, userId)
  return user && !user.disabledAt ? { kind: 'user', id: user.id, name: user.name, role: user.role } : null
}
