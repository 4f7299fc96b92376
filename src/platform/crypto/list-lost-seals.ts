import type { Db } from '../db/database.ts'
import { countSeals, type SealCount } from './count-seals.ts'
import type { SealedColumn } from './reseal.ts'
import type { Vault } from './vault.ts'

/** Sealed values that no key opens: a key was removed before the last replica sealed with another one. */
export async function listLostSeals(
  db: Db,
  { keyIds }: Vault,
  columns: readonly SealedColumn[],
): Promise<SealCount[]> {
  return (await countSeals(db, columns)).filter(({ keyId }) => !keyIds.includes(keyId))
}

export function explainLostSeals({ keyId, count }: SealCount): string {
  const secrets = count === 1 ? 'One secret was' : `${count} secrets were`
  return (
    `${secrets} sealed with key ${keyId}, which is not configured, and cannot be opened. Put that key back ` +
    '(ENCRYPTION_KEY=<new>,<former>) and run: npm run bellhop -- rotate-encryption-key. If it is gone, enter those secrets again.'
  )
}
