import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { asError } from '../../platform/as-error.ts'
import { isDiskFull, isUnavailable, isUniqueViolation } from '../../platform/db/database.ts'
import type { EventId } from '../../shared/ids.ts'
import { acceptEvents, acceptedReceipt } from './accept-events.ts'
import type { NewEvent, Receipt } from './new-event.ts'

export type Inbox = AsyncDisposable & {
  /** Resolves once the event is on disk, or is known not to be. */
  put(event: NewEvent): Promise<Receipt>
}

type Options = {
  pool: pg.Pool
  onAccepted(): void
  onError(error: Error): void
}

type Waiting = { event: NewEvent; resolve(receipt: Receipt): void }

const maxBatch = 256
const maxBatchBytes = 8 * 1024 * 1024
const maxWaiting = 10_000
/** While one batch is being flushed, the next one fills, and is sent when it is as large: small batches cost most. */
const maxUnderWay = 2
const giveUpAfterMs = 2_500

/**
 * Group commit: many deliveries share one round trip and one flush to disk. A single delivery is sent at once; under load,
 * batches become large by themselves.
 */
export function openInbox({ pool, onAccepted, onError }: Options): Inbox {
  let waiting: Waiting[] = []
  let underWay = 0
  let lastSize = 0
  let scheduled = false
  let idle: (() => void) | undefined

  function schedule(): void {
    if (scheduled || underWay === maxUnderWay || waiting.length === 0) return
    if (underWay > 0 && waiting.length < lastSize) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      void send(takeBatch())
    })
  }

  /** Two copies of one delivery must not be in the same batch: the second waits for the outcome of the first. */
  function takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    const left: Waiting[] = []
    const keys = new Set<string>()
    let bytes = 0
    for (const item of waiting) {
      const { key, body } = item.event
      const fits = batch.length < maxBatch && (batch.length === 0 || bytes + body.length <= maxBatchBytes)
      if (!fits || (key !== null && keys.has(key))) {
        left.push(item)
        continue
      }
      if (key !== null) keys.add(key)
      bytes += body.length
      batch.push(item)
    }
    waiting = left
    return batch
  }

  async function send(batch: Waiting[]): Promise<void> {
    underWay++
    lastSize = batch.length
    const receipts = await store(batch.map(({ event }) => event))
    underWay--
    // Writing the answers takes a while, in which the database would have nothing to do.
    if (!scheduled && waiting.length >= batch.length / 2) void send(takeBatch())
    let accepted = false
    for (const { event, resolve } of batch) {
      const receipt = receipts.get(event.eventId) ?? { outcome: 'unavailable' as const }
      if (receipt.outcome === 'accepted') accepted = true
      resolve(receipt)
    }
    if (accepted) onAccepted()
    schedule()
    if (underWay === 0 && waiting.length === 0) idle?.()
  }

  async function store(events: readonly NewEvent[]): Promise<ReadonlyMap<EventId, Receipt>> {
    try {
      return await commit(events)
    } catch (error) {
      onError(asError(error))
      const outcome = isDiskFull(error) ? 'disk-full' : 'unavailable'
      if (isUnavailable(error) || events.length === 1)
        return new Map(events.map(({ eventId }) => [eventId, { outcome }]))
    }
    // One of them is to blame, and none was stored.
    const receipts = new Map<EventId, Receipt>()
    for (const event of events) for (const [id, receipt] of await store([event])) receipts.set(id, receipt)
    return receipts
  }

  /** After a lost connection it is unknown whether the commit happened: look first, then send what is missing. */
  async function commit(events: readonly NewEvent[]): Promise<Map<EventId, Receipt>> {
    const giveUpAt = performance.now() + giveUpAfterMs
    for (let attempt = 0; ; attempt++) {
      try {
        const stored = attempt === 0 ? new Map<EventId, Receipt>() : await findStored(events)
        const missing = events.filter(({ eventId }) => !stored.has(eventId))
        return missing.length === 0 ? stored : new Map([...stored, ...(await acceptEvents(pool, missing))])
      } catch (error) {
        // The server went on with what it had received, and committed after we looked.
        const isThereAlready = attempt > 0 && isUniqueViolation(error)
        const passes = isThereAlready || (isUnavailable(error) && !isDiskFull(error))
        if (!passes || performance.now() > giveUpAt) throw error
        await pause(100 * (attempt + 1))
      }
    }
  }

  async function findStored(events: readonly NewEvent[]): Promise<Map<EventId, Receipt>> {
    const ids = events.map(({ eventId }) => eventId)
    const { rows } = await pool.query<{ id: EventId }>('select id from events where id = any ($1)', [ids])
    return new Map(rows.map(({ id }) => [id, acceptedReceipt(id)]))
  }

  return {
    put(event) {
      if (waiting.length >= maxWaiting) return Promise.resolve({ outcome: 'unavailable' })
      return new Promise((resolve) => {
        waiting.push({ event, resolve })
        schedule()
      })
    },
    async [Symbol.asyncDispose]() {
      if (underWay > 0 || waiting.length > 0)
        await new Promise<void>((resolve) => {
          idle = resolve
        })
    },
  }
}
