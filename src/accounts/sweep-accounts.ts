import type { Db } from '../platform/db/database.ts'
import { inBatches } from '../platform/in-batches.ts'
import { firstIdAt } from '../shared/ids.ts'
import { pruneAuditLog, sealAuditLog } from './audit-log/seal-audit-log.ts'
import { removeSettledAttempts } from './store/attempts.ts'
import { removeExpiredLinks } from './store/links.ts'
import { removeEndedSessions } from './store/sessions.ts'

type Context = {
  db: Db
  now: () => Date
  settings: { read(): Promise<{ retention: { auditDays: number | null } }> }
}

const batch = 500

/** Removes what has expired, even if nobody signs in for months, and what is older than the retention. */
export async function sweepAccounts({ db, now, settings }: Context, signal?: AbortSignal): Promise<void> {
  await removeEndedSessions(db)
  await removeExpiredLinks(db)
  await removeSettledAttempts(db)
  const { auditDays } = (await settings.read()).retention
  if (auditDays === null) return
  const before = new Date(now().getTime() - auditDays * 86_400_000)
  await sealAuditLog(db)
  await inBatches(batch, (limit) => pruneAuditLog(db, firstIdAt('audit', before), limit), signal)
}
