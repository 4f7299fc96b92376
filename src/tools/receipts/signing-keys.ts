import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { Secret } from '../../platform/secret.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import { findActiveKey, insertKey, listPublishedKeys, retireKey } from './store.ts'

type Context = { db: Db; vault: Vault }

export type SigningKey = { id: string; privateKey: KeyObject }

/** Longer than a receipt lives, so that a target that keeps the list of keys for a day misses nothing. */
const overlapSeconds = 86_400

/** The key that signs now. It is made when it is needed first, and again if it cannot be opened any more. */
export async function readSigningKey(ctx: Context): Promise<SigningKey> {
  const row = await findActiveKey(ctx.db)
  const opened = row && ctx.vault.openIfKeyIsKnown(row.sealed, sealedPlace(row.id))
  if (row && opened) return { id: row.id, privateKey: createPrivateKey(opened.reveal()) }
  await ctx.db.transaction().execute(async (tx) => {
    if (row) await retireKey(tx, row.id)
    await addKey({ ...ctx, db: tx })
  })
  return await readSigningKey(ctx)
}

/** From now on another key signs. The former stays published until nobody can be looking at its receipts. */
export async function rotateSigningKey(ctx: Context & { audit: Audit }, caller: Caller): Promise<string> {
  const { id: former } = await readSigningKey(ctx)
  return await ctx.db.transaction().execute(async (tx) => {
    const isOurs = await retireKey(tx, former)
    const id = isOurs ? await addKey({ ...ctx, db: tx }) : ((await findActiveKey(tx))?.id ?? former)
    if (isOurs)
      await ctx.audit(tx, { ...caller, action: 'signing-key.rotated', detail: { keyId: id, former } })
    return id
  })
}

/** RFC 7517: what targets verify receipts with. There is a key before the first receipt, so that a target can be set up. */
export async function readKeySet(ctx: Context): Promise<{ keys: JWK[] }> {
  await readSigningKey(ctx)
  const rows = await listPublishedKeys(ctx.db, overlapSeconds)
  // We wrote these texts ourselves, from keys.
  return { keys: rows.map(({ publicKey }) => JSON.parse(publicKey) as JWK) }
}

async function addKey({ db, vault }: Context): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const jwk = publicKey.export({ format: 'jwk' })
  const id = await calculateJwkThumbprint(jwk)
  const secret = new Secret(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  await insertKey(db, {
    id,
    publicKey: JSON.stringify({ ...jwk, kid: id, alg: 'EdDSA', use: 'sig' }),
    sealed: vault.seal(secret, sealedPlace(id)),
  })
  return id
}

const sealedPlace = (row: string) => ({ table: 'signing_keys', row, column: 'sealed' })
