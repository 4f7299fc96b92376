import { sql } from 'kysely'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { publishChange } from '../../shared/changes.ts'
import type { MessageId, RunId } from '../../shared/ids.ts'
import { changeMessage } from '../store.ts'
import type { ThumbReason } from './contract.ts'

export type Rating = { thumb: 'up' | 'down'; reason?: ThumbReason | null; note?: string | null }

/**
 * One thumb for each person and reply; another one takes its place. What a rating leaves out stays as it is as long as the thumb does.
 */
export async function rateReply(
  tx: Db,
  runId: RunId,
  person: { id: string; name: string },
  { thumb, reason, note }: Rating,
): Promise<void> {
  const kept = (isGiven: boolean, column: 'reason' | 'note') =>
    isGiven
      ? sql`excluded.${sql.ref(column)}`
      : sql`case when thumbs.thumb = excluded.thumb then thumbs.${sql.ref(column)} end`
  await showChanged(tx, runId, async () => {
    await sql`
      insert into thumbs (run_id, person_id, person_name, thumb, reason, note)
      values (${runId}, ${person.id}, ${person.name}, ${thumb}, ${reason ?? null}, ${note ?? null})
      on conflict (run_id, person_id) do update set person_name = excluded.person_name, thumb = excluded.thumb, rated_at = now(),
        reason = ${kept(reason !== undefined, 'reason')}, note = ${kept(note !== undefined, 'note')}`.execute(
      tx,
    )
  })
}

/** `only`: unless the person has changed it meanwhile. */
export async function withdrawRating(
  tx: Db,
  runId: RunId,
  personId: string,
  only: 'up' | 'down' | null = null,
): Promise<void> {
  await showChanged(tx, runId, async () => {
    await sql`
      delete from thumbs where run_id = ${runId} and person_id = ${personId} and thumb = coalesce(${only}, thumb)`.execute(
      tx,
    )
  })
}

/** Whoever reads the channel or the run sees it. */
async function showChanged(tx: Db, runId: RunId, write: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ id: MessageId }>`
    select id from messages where run_id = ${runId} and is_reply order by id`.execute(tx)
  if (rows.length === 0) throw problem('not-found', 'This run has posted no reply that could be rated.')
  await write()
  for (const { id } of rows) await changeMessage(tx, id, {})
  await publishChange(tx, 'runs', runId)
}
