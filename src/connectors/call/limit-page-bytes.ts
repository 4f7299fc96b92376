import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ConnectorId } from '../../shared/ids.ts'

/** A connector may have 16 MiB, and a page of a hundred of those would be more than the longest text there is. */
const mostBytes = 32 * 1024 * 1024

/** How many of these connectors, from the first on, a page can hold with all their tools: one at least. */
export async function limitPageBytes(db: Db, ids: readonly ConnectorId[]): Promise<number> {
  const { rows } = await sql<{ connectorId: ConnectorId; bytes: number }>`
    select connector_id, sum(octet_length(description) + octet_length(input_schema)
      + coalesce(octet_length(output_schema), 0))::float8 as bytes
    from tools where connector_id = any(${ids}) group by connector_id`.execute(db)
  const sizes = new Map(rows.map(({ connectorId, bytes }) => [connectorId, bytes]))
  let left = mostBytes
  const tooMany = ids.findIndex((id) => {
    left -= sizes.get(id) ?? 0
    return left < 0
  })
  return tooMany < 0 ? ids.length : Math.max(1, tooMany)
}
