import { sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import { newId } from '../../shared/ids.ts'
import type { View } from '../contract.ts'

const columns = sql`id, list, name, query, columns`

export async function listViewRows(db: Db, userId: string, list: string | undefined): Promise<View[]> {
  const { rows } = await sql<View>`
    select ${columns} from saved_views
    where user_id = ${userId} and ${allOf([list && sql`list = ${list}`])} order by id`.execute(db)
  return rows
}

/** One of the same list and name is replaced. Null if the person has `most` others. */
export async function saveView(
  db: Db,
  userId: string,
  view: Omit<View, 'id'>,
  most: number,
): Promise<View | null> {
  const { rows } = await sql<View>`
    insert into saved_views (id, user_id, list, name, query, columns)
    select ${newId('view')}, ${userId}, ${view.list}, ${view.name}, ${view.query}, ${view.columns}::text[]
    where (select count(*) from saved_views
           where user_id = ${userId} and (list, name) <> (${view.list}, ${view.name})) < ${most}
    on conflict (user_id, list, name) do update set query = excluded.query, columns = excluded.columns
    returning ${columns}`.execute(db)
  return rows[0] ?? null
}

export async function removeView(db: Db, userId: string, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from saved_views where id = ${id} and user_id = ${userId}`.execute(db)
  return numAffectedRows === 1n
}
