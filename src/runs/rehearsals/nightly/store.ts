import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { RehearsalId, WebhookId } from '../../../shared/ids.ts'
import type { NightlyBody } from './contract.ts'

export type NightlyRow = NightlyBody & {
  sourceId: WebhookId
  nextAt: Date
  rehearsalId: RehearsalId | null
  problem: string | null
  createdBy: Pick<Actor, 'kind' | 'id' | 'name'>
}

export async function saveNightly(
  tx: Db,
  { sourceId, model, budget, nextAt, createdBy }: Omit<NightlyRow, 'rehearsalId' | 'problem'>,
): Promise<void> {
  await sql`
    insert into nightly_rehearsals (source_id, model, budget, next_at, created_by)
    values (${sourceId}, ${JSON.stringify(model)}, ${budget}, ${nextAt}, ${JSON.stringify(createdBy)})
    on conflict (source_id) do update set model = excluded.model, budget = excluded.budget, created_by = excluded.created_by`.execute(
    tx,
  )
}

/** False if there was none. */
export async function deleteNightly(tx: Db, sourceId: WebhookId): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from nightly_rehearsals where source_id = ${sourceId}`.execute(tx)
  return numAffectedRows === 1n
}

export async function findNightly(db: Db, sourceId: WebhookId): Promise<NightlyRow | null> {
  const { rows } = await sql<NightlyRow>`
    select * from nightly_rehearsals where source_id = ${sourceId}`.execute(db)
  return rows[0] ?? null
}

/** One whose time has come. Those of deleted webhooks go. */
export async function findDue(db: Db): Promise<NightlyRow | null> {
  await sql`
    delete from nightly_rehearsals where source_id in (select id from event_sources where state = 'deleted')`.execute(
    db,
  )
  const { rows } = await sql<NightlyRow>`
    select * from nightly_rehearsals where next_at <= now() order by next_at limit 1`.execute(db)
  return rows[0] ?? null
}

/** What became of a night, and when the next one is. False if another process has recorded it, or nobody wants it any more. */
export async function recordNight(
  db: Db,
  { sourceId }: NightlyRow,
  nextAt: Date,
  { rehearsalId, problem }: { rehearsalId: RehearsalId | null; problem: string | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update nightly_rehearsals set next_at = ${nextAt}, rehearsal_id = ${rehearsalId}, problem = ${problem}
    where source_id = ${sourceId} and next_at <= now()`.execute(db)
  return numAffectedRows === 1n
}
