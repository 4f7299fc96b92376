import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import type { RehearsalId, WebhookId } from '../../shared/ids.ts'
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

/** Takes one whose time has come and gives it its next time, so that no other process starts it, too. Those of deleted webhooks go. */
export async function takeDue(db: Db, nextAt: Date): Promise<NightlyRow | null> {
  await sql`
    delete from nightly_rehearsals where source_id in (select id from event_sources where state = 'deleted')`.execute(
    db,
  )
  const { rows } = await sql<NightlyRow>`
    update nightly_rehearsals set next_at = ${nextAt}
    where source_id = (
      select source_id from nightly_rehearsals where next_at <= now() order by next_at limit 1 for update skip locked)
    returning *`.execute(db)
  return rows[0] ?? null
}

export async function recordNight(
  db: Db,
  sourceId: WebhookId,
  { rehearsalId, problem }: { rehearsalId: RehearsalId | null; problem: string | null },
): Promise<void> {
  await sql`
    update nightly_rehearsals set rehearsal_id = ${rehearsalId}, problem = ${problem} where source_id = ${sourceId}`.execute(
    db,
  )
}
