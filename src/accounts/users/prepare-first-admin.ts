import type { Db } from '../../platform/db/database.ts'
import { insertLink, removeExpiredLinks } from '../store/links.ts'
import { adminExists } from '../store/users.ts'

type Context = { db: Db }

/**
 * The path of a one-time link for the first admin, or null if there is an admin. Each start makes its own link, since
 * only hashes are stored; the links of other replicas stay valid until one is used.
 */
export async function prepareFirstAdmin({ db }: Context): Promise<string | null> {
  if (await adminExists(db)) return null
  await removeExpiredLinks(db)
  const { token } = await insertLink(db, 'setup', null, null)
  return `/setup#token=${token}`
}
