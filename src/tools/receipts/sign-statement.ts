import { createLocalJWKSet, errors, type JWK, jwtVerify, SignJWT } from 'jose'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { readSigningKey } from './signing-keys.ts'
import { listKeyRows } from './store.ts'

type Context = { db: Db; vault: Vault; publicUrl: string }

const typeOf = (type: string) => `bellhop-${type}+jwt`

/** Signs something that has to be true for good, and not only for a minute. */
export async function signStatement(
  ctx: Context,
  type: string,
  statement: Record<string, unknown>,
): Promise<string> {
  const { id, privateKey } = await readSigningKey(ctx)
  return await new SignJWT(statement)
    .setProtectedHeader({ alg: 'EdDSA', typ: typeOf(type), kid: id })
    .setIssuer(ctx.publicUrl)
    .setIssuedAt()
    .sign(privateKey)
}

/** Null if it was not signed with a key that we have or had. */
export async function readStatement(
  db: Db,
  type: string,
  signed: string,
): Promise<Record<string, unknown> | null> {
  const rows = await listKeyRows(db)
  // We wrote these texts ourselves, from keys.
  const keys = rows.map(({ publicKey }) => JSON.parse(publicKey) as JWK)
  try {
    const { payload } = await jwtVerify(signed.trim(), createLocalJWKSet({ keys }), {
      algorithms: ['EdDSA'],
      typ: typeOf(type),
    })
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
