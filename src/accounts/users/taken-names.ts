import { sql } from 'kysely'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { foldName } from './fold-name.ts'

/** Under `lockUsers`. Cards and messages show a name and not the account behind it, so nobody may pass for somebody else. */
export async function refuseTakenName(tx: Db, name: string, besides: string): Promise<void> {
  const taken = await readTakenNames(tx, besides)
  if (!taken.has(foldName(name))) return
  const detail =
    'Somebody else has this name, or one that looks like it. Choose a different one, for example with a surname.'
  throw problem('name-taken', detail, { errors: [{ pointer: '/name', detail }] })
}

/** Under `lockUsers`. For people whose name comes from elsewhere and who cannot be asked: "Ada", or "Ada 2" if there is an Ada. */
export async function findFreeName(tx: Db, name: string): Promise<string> {
  const taken = await readTakenNames(tx, null)
  let free = name
  for (let number = 2; taken.has(foldName(free)); number++)
    free = `${name.slice(0, 90).toWellFormed()} ${number}`
  return free
}

async function readTakenNames(tx: Db, besides: string | null): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select name from users where id is distinct from ${besides}`.execute(tx)
  return new Set(rows.map(({ name }) => foldName(name)))
}
