import { sql } from 'kysely'
import { invalidField } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { ConnectorId } from '../../shared/ids.ts'

/** Checks `connectorIds` in any request. A deleted connector that was listed before may stay: it grants nothing. */
export async function refuseMissingConnectors(
  db: Db,
  ids: readonly ConnectorId[] | null,
  listed: readonly ConnectorId[] | null = null,
): Promise<void> {
  const asked = (ids ?? []).filter((id) => !listed?.includes(id))
  if (asked.length === 0) return
  const { rows } = await sql<{ id: ConnectorId }>`select id from connectors where id = any(${asked})`.execute(
    db,
  )
  const missing = asked.find((id) => !rows.some((row) => row.id === id))
  if (missing === undefined) return
  throw invalidField(
    `/connectorIds/${ids?.indexOf(missing)}`,
    'There is no such connector. Choose one from GET /api/v1/connectors.',
  )
}
