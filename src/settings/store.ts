import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { notifyInTransaction } from '../platform/db/notify.ts'

export const groupNames = [
  'agent',
  'model',
  'fallbackModel',
  'limits',
  'retention',
  'approvals',
  'prices',
  'timeZone',
] as const
export type GroupName = (typeof groupNames)[number]

/** The channel on which all processes hear that a group changed. */
export const settingsChanged = 'bellhop_settings'

/** `secret` is sealed. */
export type Group = { value: unknown; secret: string | null }

/** Writers that merge into stored values run one after the other; readers do not wait. */
export async function lockGroups(tx: Db): Promise<void> {
  await sql`lock table settings in share row exclusive mode`.execute(tx)
}

/** `revision` among them is the number of the last save. One statement, so that it belongs to the others. */
export async function readGroups(db: Db): Promise<Map<string, Group>> {
  const { rows } = await sql<Group & { name: string }>`
    select name, value, secret from settings where name = any(${groupNames})
    union all select 'revision', to_json(max(n)), null from revisions where subject = 'settings'`.execute(db)
  return new Map(rows.map(({ name, ...group }) => [name, group]))
}

export async function writeGroup(
  tx: Db,
  name: GroupName,
  { value, secret }: Group,
  by: string,
): Promise<void> {
  await sql`
    insert into settings (name, value, secret, updated_by)
    values (${name}, ${JSON.stringify(value)}, ${secret}, ${by})
    on conflict (name) do update set value = excluded.value, secret = excluded.secret, updated_at = now(),
      updated_by = excluded.updated_by`.execute(tx)
  await notifyInTransaction(tx, settingsChanged, name)
}

export async function removeGroup(tx: Db, name: GroupName): Promise<void> {
  await sql`delete from settings where name = ${name}`.execute(tx)
  await notifyInTransaction(tx, settingsChanged, name)
}
