import type { Db } from '../platform/db/database.ts'
import { removeSettledAttempts } from './store/attempts.ts'
import { removeExpiredLinks } from './store/links.ts'
import { removeEndedSessions } from './store/sessions.ts'

/** What ended by itself is removed, also where nobody signs in for months and only strangers try. */
export async function sweepAccounts(db: Db): Promise<void> {
  await removeEndedSessions(db)
  await removeExpiredLinks(db)
  await removeSettledAttempts(db)
}
