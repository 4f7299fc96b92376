import type { JobQueue } from '../../jobs.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Settings } from '../../settings/open-settings.ts'
import { deleteOrphanedCases } from './cases/store.ts'
import { deleteRehearsals, listForgotten } from './store.ts'

type Context = { db: Db; queue: JobQueue; settings: Settings; now: () => Date }

/** Of each rehearsal. The events behind them have jobs, or are looked for the next time. */
const batch = 20

/** The backstop: an event that could go on does, even if its job or its worker was lost. Existing jobs are not duplicated. */
export async function sweepRehearsals({ db, queue, settings }: Context): Promise<void> {
  const { agent } = await settings.read()
  if (agent.paused) return
  const forgotten = await listForgotten(db, batch)
  await queue.sendMany(
    db,
    'rehearsal.event',
    forgotten.map((one) => ({ payload: one, key: `${one.rehearsalId} ${one.eventId}` })),
  )
}

/** Kept as long as runs are. Cases are kept as long as their source. */
export async function pruneRehearsals({ db, settings, now }: Context): Promise<void> {
  const { retention } = await settings.read()
  await deleteRehearsals(db, new Date(now().getTime() - retention.days * 86_400_000))
  await deleteOrphanedCases(db)
}
