import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { SourceId } from '../../shared/ids.ts'
import type { Scope } from '../../shared/scope.ts'

/** The current scope; null once the webhook or schedule is deleted. */
export async function findSourceScope(db: Db, sourceId: SourceId): Promise<Scope | null> {
  const { rows } = await sql<Scope>`
    select w.ceiling, coalesce(w.connector_ids, c.connector_ids) as connector_ids,
           case when 'one' in (w.reads_across, c.reads_across) then 'one' else 'all' end as reads_across
    from event_sources w left join channels c on c.id = w.channel_id
    where w.id = ${sourceId} and w.state <> 'deleted'`.execute(db)
  return rows[0] ?? null
}
