import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Secret } from '../secret.ts'
import { type Place, type Vault, VaultError } from './vault.ts'

/** A column of sealed values. `id` is the table's id column. */
export type SealedColumn = { table: string; column: string; id?: string }

const batchSize = 100

/** What cannot be opened stays as it is, and is named in `unreadable`. */
export type Resealed = { count: number; unreadable: string[] }

/** Seals again every value that an older key sealed. Works beside a running service, in small transactions. */
export async function reseal(db: Db, vault: Vault, columns: readonly SealedColumn[]): Promise<Resealed> {
  const resealed: Resealed = { count: 0, unreadable: [] }
  for (const column of columns) {
    let last: string | null = null
    do last = await resealBatch(db, vault, column, last, resealed)
    while (last !== null)
  }
  return resealed
}

/** Returns the last row it has seen; null if there are no more. */
async function resealBatch(
  db: Db,
  vault: Vault,
  { table, column, id = 'id' }: SealedColumn,
  after: string | null,
  resealed: Resealed,
): Promise<string | null> {
  const [tableRef, columnRef, idRef] = [sql.raw(table), sql.raw(column), sql.raw(id)]
  return await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ row: string; sealed: string }>`
      select ${idRef} as row, ${columnRef} as sealed from ${tableRef}
      where ${columnRef} is not null and split_part(${columnRef}, '.', 2) <> ${vault.keyId}
        ${after === null ? sql`` : sql`and ${idRef} > ${after}`}
      order by ${idRef} limit ${batchSize} for update`.execute(tx)
    for (const { row, sealed } of rows) {
      const place = { table, row, column }
      const opened = openIfPossible(vault, sealed, place)
      if (!opened) {
        resealed.unreadable.push(`${table}.${column} of ${row}`)
        continue
      }
      await sql`update ${tableRef} set ${columnRef} = ${vault.seal(opened, place)} where ${idRef} = ${row}`.execute(
        tx,
      )
      resealed.count++
    }
    return rows.length === batchSize ? (rows.at(-1)?.row ?? null) : null
  })
}

function openIfPossible(vault: Vault, sealed: string, place: Place): Secret | null {
  try {
    return vault.open(sealed, place)
  } catch (error) {
    if (error instanceof VaultError) return null
    throw error
  }
}
