import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'

/** From now on, how many rows of the table each statement deletes; the largest numbers first. */
export async function noteDeletions(
  db: Db,
  table: 'events' | 'delivery_keys',
): Promise<() => Promise<number[]>> {
  await sql`create table deletions (rows integer)`.execute(db)
  await sql`
    create function note_deletion() returns trigger language plpgsql as $$
    begin insert into deletions select count(*) from gone; return null; end $$`.execute(db)
  await sql`
    create trigger note_deletion after delete on ${sql.table(table)} referencing old table as gone
    for each statement execute function note_deletion()`.execute(db)
  return async () => {
    const { rows } = await sql<{ rows: number }>`select rows from deletions order by rows desc`.execute(db)
    return rows.map((row) => row.rows)
  }
}
