import type { Db } from '../../platform/db/database.ts'
import { inBatches } from '../../platform/in-batches.ts'
import { countKeyBlocks, deleteDeliveryKeys } from '../ledger/events.ts'
import { keyDays } from './accept-events.ts'

/** Half a megabyte, some 5,000 keys. */
const batch = 64

type Context = { db: Db; now: () => Date }

/** Reads the whole table of keys, a piece at a time: an index by age would cost more, at each delivery (decision 24). */
export async function pruneDeliveryKeys({ db, now }: Context, signal?: AbortSignal): Promise<void> {
  const before = new Date(now().getTime() - keyDays * 86_400_000)
  const end = await countKeyBlocks(db)
  let from = 0
  await inBatches(
    batch,
    async (blocks) => {
      await deleteDeliveryKeys(db, before, from, from + blocks)
      from += blocks
      return from < end ? blocks : 0
    },
    signal,
  )
}
