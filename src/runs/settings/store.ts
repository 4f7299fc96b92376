import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'

export const groupNames = ['agent', 'model', 'limits', 'retention', 'prices'] as const
export type GroupName = (typeof groupNames)[number]

/** The word on which all processes hear that a group changed. */
export const notificationName = 'bellhop_settings'

export async function readGroups(db: Db): Promise<Map<string, unknown>> {
  const { rows } = await sql<{ name: string; value: unknown }>`
    select name, value from settings where name = any(${groupNames})`.execute(db)
  return new Map(rows.map(({ name, value }) => [name, value]))
}

export async function writeGroup(tx: Db, name: GroupName, value: unknown, by: string): Promise<void> {
  await sql`
    insert into settings (name, value, updated_by) values (${name}, ${JSON.stringify(value)}, ${by})
    on conflict (name) do update set value = excluded.value, updated_at = now(), updated_by = excluded.updated_by
  `.execute(tx)
  await sql`select pg_notify(${notificationName}, ${name})`.execute(tx)
}

export async function removeGroup(tx: Db, name: GroupName): Promise<void> {
  await sql`delete from settings where name = ${name}`.execute(tx)
  await sql`select pg_notify(${notificationName}, ${name})`.execute(tx)
}
