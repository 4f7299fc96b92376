import { sql } from 'kysely'
import { asError } from '../../platform/as-error.ts'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import { publishChange } from '../../shared/changes.ts'
import type { ConnectorId } from '../../shared/ids.ts'

/** The version that was used: results of another version say nothing about this one. */
export type UsedConnector = { id: ConnectorId; version: number }
export type RecordHealth = (used: UsedConnector, fault: string | null) => Promise<void>

/** Success is stored at most this often. */
const quietMs = 60_000

/** Stores whether a connector was reached, for the list. Nothing depends on it, so it never throws. */
export function openRecordHealth({ db, onError }: { db: Db; onError(error: Error): void }): RecordHealth {
  const wellSince = new Map<ConnectorId, number>()
  return async (used, fault) => {
    const { id } = used
    const now = performance.now()
    if (fault === null && now - (wellSince.get(id) ?? Number.NEGATIVE_INFINITY) < quietMs) return
    if (fault === null) wellSince.set(id, now)
    else wellSince.delete(id)
    try {
      await writeHealth(db, used, fault)
    } catch (error) {
      onError(asError(error))
    }
  }
}

export async function writeHealth(
  db: Db,
  { id, version }: UsedConnector,
  fault: string | null,
): Promise<void> {
  // Nobody reads more of a server's message.
  const text = fault && replaceNul(fault).slice(0, 2000)
  await sql`
    insert into connector_health (connector_id, last_contact_at, last_error, last_error_at)
    select id, case when ${text}::text is null then now() end, ${text}, case when ${text}::text is not null then now() end
    from connectors where id = ${id} and version = ${version}
    on conflict (connector_id) do update set
      last_contact_at = coalesce(excluded.last_contact_at, connector_health.last_contact_at),
      last_error = excluded.last_error, last_error_at = excluded.last_error_at`.execute(db)
  await publishChange(db, 'connectors', id)
}
