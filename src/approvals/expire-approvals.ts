import type { Jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { announce } from './announce.ts'
import { claimReminders, expirePending } from './store.ts'

type Context = { db: Db; queue: Queue<Jobs> }

/** Runs every few seconds in each worker; rows are claimed, so replicas do not get in each other's way. */
export async function expireApprovals({ db, queue }: Context): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await announce({ db: tx, queue }, await expirePending(tx))
  })
  await db.transaction().execute(async (tx) => {
    const due = await claimReminders(tx)
    await queue.sendMany(
      tx,
      'approval.remind',
      due.map(({ id }) => ({ payload: { approvalId: id }, key: id })),
    )
  })
}
