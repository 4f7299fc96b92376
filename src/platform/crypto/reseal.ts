import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Vault } from './vault.ts'

/** A column of sealed values. `id` is the table's id column. */
export type SealedColumn = { table: string; column: string; id?: string }

const batchSize = 100

/** Seals again every value that an older key sealed. Works beside a running service, in small transactions. */
export async function reseal(db: Db, vault: Vault, columns: readonly SealedColumn[]): Promise<number> {
  let resealed = 0
  for (const column of columns) {
    for (let count = batchSize; count === batchSize; resealed += count)
      count = await resealBatch(db, vault, column)
  }
  return resealed
}

async function resealBatch(
  db: Db,
  vault: Vault,
  { table, column, id = 'id' }: SealedColumn,
): Promise<number> {
  const [tableRef, columnRef, idRef] = [sql.raw(table), sql.raw(column), sql.raw(id)]
  return await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ row: string; sealed: string }>`
      select ${idRef} as row, ${columnRef} as sealed from ${tableRef}
      where ${columnRef} is not null and split_part(${columnRef}, '.', 2) <> ${vault.keyId}
      limit ${batchSize} for update`.execute(tx)
    for (const { row, sealed } of rows) {
      const place = { table, row, column }
      const fresh = vault.seal(vault.open(sealed, place), place)
      await sql`update ${tableRef} set ${columnRef} = ${fresh} where ${idRef} = ${row}`.execute(tx)
    }
    return rows.length
  })
}
