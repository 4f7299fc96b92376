import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Run } from '../store/run-rows.ts'

/**
 * Why a run that nobody watches cannot do its work, found before the model is asked: its channel or a connector of its list is gone.
 * Only for schedules: at nine in the morning nobody has just looked at their settings.
 */
export async function findObstacle(
  db: Db,
  { trigger, channelId, connectorIds }: Pick<Run, 'trigger' | 'channelId' | 'connectorIds'>,
): Promise<{ code: string; message: string } | null> {
  if (trigger !== 'schedule') return null
  const { rows } = await sql<{ hasChannel: boolean; gone: string[] }>`
    select exists (select from channels c join workspaces w on w.id = c.workspace_id
                   where c.id = ${channelId} and c.deleted_at is null and w.deleted_at is null) as has_channel,
      array(select id from unnest(${connectorIds ?? []}::text[]) as l (id)
            where not exists (select from connectors where connectors.id = l.id)) as gone`.execute(db)
  const [found] = rows
  if (found && !found.hasChannel)
    return { code: 'channel_gone', message: 'Its channel was removed. Choose another one for the schedule.' }
  if (found && found.gone.length > 0)
    return {
      code: 'connector_gone',
      message: `These connectors were deleted: ${found.gone.join(', ')}. Take them off the list of the schedule, or choose others.`,
    }
  return null
}
