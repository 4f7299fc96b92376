import { sql } from 'kysely'
import { type Db, hasRoom } from '../../platform/db/database.ts'
import { freeBytes } from '../../platform/files/free-bytes.ts'
import type { Log } from '../../platform/log.ts'
import { repeat } from '../../platform/repeat.ts'
import { countWaiting } from '../ledger/events.ts'

type Fullness = { problem: 'backlog-full' | 'disk-full'; says: string }

const noSpaceLeft: Fullness = {
  problem: 'disk-full',
  says: 'There is no space left on the disk of the database.',
}

export type Backlog = AsyncDisposable & {
  /** Why no more events can be accepted, or null. */
  fullBecause(): Fullness | null
  /** The database refused an event for lack of space. No more are tried until it can write again. */
  refuseUntilRoom(): void
  look(): Promise<void>
}

type Context = {
  db: Db
  /** The folder of an embedded database; null if the database is elsewhere. */
  folder: string | null
  log: Log
  onCounted(waiting: number): void
}

const maxWaitingEvents = 1_000_000
export const minFreeBytes = 1024 ** 3
const lookEveryMs = 2_000
/** A count reads every waiting event, 100,000 in 0.1 s. The longer it took, the later the next: counting takes this share of the time. */
const countShare = 0.01
const maxCountAgeMs = 30_000

/** Watches how full the inbox is, so that the ingress need not query it for each delivery. */
export function watchBacklog(ctx: Context): Backlog {
  let full: Fullness | null = null
  let waiting = 0
  let countAgainAt = 0
  let hasNoRoom = false

  async function look(): Promise<void> {
    const limits = await readLimits(ctx.db)
    if (performance.now() >= countAgainAt) await count(limits.maxWaitingEvents)
    const free = ctx.folder === null ? Number.POSITIVE_INFINITY : await freeBytes(ctx.folder)
    if (hasNoRoom) hasNoRoom = !(await hasRoom(ctx.db))
    if (waiting >= limits.maxWaitingEvents)
      set({ problem: 'backlog-full', says: `${waiting} events are waiting, which is the limit.` })
    else if (hasNoRoom) set(noSpaceLeft)
    else if (free < limits.minFreeBytes) set({ problem: 'disk-full', says: 'The disk is nearly full.' })
    else set(null)
  }

  function set(now: Fullness | null): void {
    if (now && !full) ctx.log.warn({ says: `${now.says} Deliveries are refused with 503.` }, 'inbox.full')
    if (full && !now) ctx.log.info({ says: 'Deliveries are accepted again.' }, 'inbox.open')
    full = now
  }

  async function count(atMost: number): Promise<void> {
    const startedAt = performance.now()
    waiting = await countWaiting(ctx.db, atMost)
    ctx.onCounted(waiting)
    const endedAt = performance.now()
    countAgainAt = endedAt + Math.min((endedAt - startedAt) / countShare, maxCountAgeMs)
  }

  const watching = repeat('inbox.look', lookEveryMs, ctx.log, look, lookEveryMs)
  return {
    fullBecause: () => full,
    refuseUntilRoom() {
      hasNoRoom = true
      set(noSpaceLeft)
    },
    look,
    [Symbol.asyncDispose]: () => watching[Symbol.asyncDispose](),
  }
}

/** Limits other than the defaults, if somebody wrote them into the table by hand (group `inbox`): no page sets them. */
async function readLimits(db: Db): Promise<{ maxWaitingEvents: number; minFreeBytes: number }> {
  const { rows } = await sql<{ value: Partial<Record<'maxWaitingEvents' | 'minFreeBytes', number>> }>`
    select value from settings where name = 'inbox'`.execute(db)
  return { maxWaitingEvents, minFreeBytes, ...rows[0]?.value }
}
