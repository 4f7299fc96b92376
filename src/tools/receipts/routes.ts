import { endpoint } from '../../http/endpoint.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Audit } from '../../shared/audit.ts'
import { signingKeysShape } from './contract.ts'
import { readKeySet, rotateSigningKey } from './signing-keys.ts'
import { listKeyRows } from './store.ts'

type Context = { db: Db; vault: Vault; audit: Audit; publicUrl: string }

const define = endpoint<Context>()

export const keySet = define({
  summary: 'The public keys of receipts (RFC 7517)',
  // The standard has its own names for the fields.
  mediaType: 'application/json',
  async answer(ctx) {
    return Response.json(await readKeySet(ctx), { headers: { 'cache-control': 'public, max-age=300' } })
  },
})

export const listSigningKeys = define({
  summary: 'List the keys that sign receipts, and where targets get them',
  returns: signingKeysShape,
  answer: (ctx) => showKeys(ctx),
})

export const rotateSigningKeys = define({
  summary: 'Sign with a new key; the former stays published for a day',
  status: 200,
  returns: signingKeysShape,
  async answer(ctx, { caller }) {
    await rotateSigningKey(ctx, caller)
    return await showKeys(ctx)
  },
})

async function showKeys(ctx: Context) {
  const published = new Set((await readKeySet(ctx)).keys.map(({ kid }) => kid))
  const rows = await listKeyRows(ctx.db)
  return {
    jwksUrl: `${ctx.publicUrl}/.well-known/jwks.json`,
    keys: rows.map(({ id, createdAt, retiredAt }) => ({
      id,
      createdAt: createdAt.toISOString(),
      retiredAt: retiredAt?.toISOString() ?? null,
      isPublished: published.has(id),
    })),
  }
}
