import type { Db } from '../../platform/db/database.ts'
import { inBatches } from '../../platform/in-batches.ts'
import { forgetUnsent } from '../files/store.ts'
import { deleteMessages } from '../store.ts'

type Context = {
  db: Db
  now: () => Date
  settings: { read(): Promise<{ retention: { days: number; messageDays: number | null } }> }
}

const batch = 500

/** Deletes messages that are older than the retention. */
export async function pruneMessages({ db, now, settings }: Context, signal?: AbortSignal): Promise<void> {
  await forgetUnsent(db)
  const { days, messageDays } = (await settings.read()).retention
  if (messageDays === null) return
  // At least as long as runs: the page of a run links to its messages.
  const before = new Date(now().getTime() - Math.max(days, messageDays) * 86_400_000)
  await inBatches(batch, (limit) => deleteMessages(db, before, limit), signal)
}
