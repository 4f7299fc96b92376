import type pg from 'pg'
import { asError } from '../../platform/as-error.ts'
import { binaryArray } from '../../platform/db/binary-array.ts'
import { isUnavailable } from '../../platform/db/database.ts'
import type { EventId, RunId, WebhookId } from '../../shared/ids.ts'
import type { EventHeaders } from './select-headers.ts'

/** A delivery that passed all checks and is to be stored. */
export type NewEvent = {
  eventId: EventId
  runId: RunId
  webhookId: WebhookId
  trigger: 'webhook' | 'test'
  /** The digest of the webhook and the id that the sender gave the delivery, 16 bytes as hex; null without an id. */
  key: string | null
  /** Another body with the same key is a mistake of the sender. */
  bindsBody: boolean
  deliveryId: string | null
  source: string
  headers: EventHeaders
  contentType: string | null
  verification: 'off' | 'verified' | 'test'
  body: Buffer
  /** The JSON inside a form. */
  payload: Buffer | null
}

export type Receipt =
  | { outcome: 'accepted' | 'duplicate'; eventId: string; runId: string }
  | { outcome: 'conflict' }
  | { outcome: 'limited'; retryAfterMs: number }
  | { outcome: 'unavailable' }

export type Inbox = AsyncDisposable & {
  /** Resolves once the event is on disk, or is known not to be. */
  put(arrival: NewEvent): Promise<Receipt>
}

type Options = {
  pool: pg.Pool
  /** Set when other processes dispatch, so they must be notified. */
  notifyOthers: boolean
  onAccepted(): void
  onError(error: Error): void
}

type Waiting = { arrival: NewEvent; resolve(receipt: Receipt): void }
type Row = { outcome: Receipt['outcome']; eventId: string; runId: string; retryAfterMs: number | null }

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
export function openInbox({ pool, notifyOthers, onAccepted, onError }: Options): Inbox {
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
      const { key, body } = item.arrival
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
    const receipts = await commit(batch).catch((error: unknown): Receipt[] => {
      onError(asError(error))
      return []
    })
    underWay--
    // Writing the answers takes a while, in which the database would have nothing to do.
    if (!scheduled && waiting.length >= batch.length / 2) void send(takeBatch())
    let accepted = false
    for (const [index, { resolve }] of batch.entries()) {
      const receipt = receipts[index] ?? { outcome: 'unavailable' as const }
      if (receipt.outcome === 'accepted') accepted = true
      resolve(receipt)
    }
    if (accepted) onAccepted()
    schedule()
    if (underWay === 0 && waiting.length === 0) idle?.()
  }

  /** After a lost connection it is unknown whether the commit happened: look first, then send what is missing. */
  async function commit(batch: readonly Waiting[]): Promise<Receipt[]> {
    const giveUpAt = performance.now() + giveUpAfterMs
    const receipts: Receipt[] = []
    let open = batch.map((_, index) => index)
    for (let attempt = 0; ; attempt++) {
      try {
        if (attempt > 0) open = await findMissing(batch, open, receipts)
        if (open.length === 0) return receipts
        const arrivals = open.map((index) => batch[index]?.arrival).filter((arrival) => arrival !== undefined)
        const { rows } = await pool.query<{ receipts: Row[] | null }>(statement(arrivals, notifyOthers))
        const answers = rows[0]?.receipts?.map(toReceipt) ?? arrivals.map(acceptedAs)
        for (const [n, answer] of answers.entries()) receipts[open[n] ?? -1] = answer
        return receipts
      } catch (error) {
        if (!isUnavailable(error) || performance.now() > giveUpAt) throw error
        await new Promise((resolve) => setTimeout(resolve, 100 * (attempt + 1)))
      }
    }
  }

  async function findMissing(
    batch: readonly Waiting[],
    open: number[],
    receipts: Receipt[],
  ): Promise<number[]> {
    const ids = open.map((index) => batch[index]?.arrival.eventId)
    const { rows } = await pool.query<{ id: string }>('select id from events where id = any ($1)', [ids])
    const stored = new Set(rows.map((row) => row.id))
    // A stored row may be committed but not flushed yet: a commit that waits for the disk covers all before it.
    if (stored.size > 0) await pool.query(`select pg_logical_emit_message(true, 'bellhop', '')`)
    return open.filter((index) => {
      const arrival = batch[index]?.arrival
      if (!arrival || !stored.has(arrival.eventId)) return true
      receipts[index] = acceptedAs(arrival)
      return false
    })
  }

  return {
    put(arrival) {
      if (waiting.length >= maxWaiting) return Promise.resolve({ outcome: 'unavailable' })
      return new Promise((resolve) => {
        waiting.push({ arrival, resolve })
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

function acceptedAs({ eventId, runId }: NewEvent): Receipt {
  return { outcome: 'accepted', eventId, runId }
}

function toReceipt({ outcome, eventId, runId, retryAfterMs }: Row): Receipt {
  switch (outcome) {
    case 'accepted':
    case 'duplicate':
      return { outcome, eventId, runId }
    case 'limited':
      return { outcome, retryAfterMs: retryAfterMs ?? 1000 }
    default:
      return { outcome }
  }
}

/** The database only asks whether there is one, and compares the bodies themselves. */
const anyDigest = '0'.repeat(32)

/** Column by column, as PostgreSQL reads arrays. If the whole batch is accepted, the answer is null. */
function statement(arrivals: readonly NewEvent[], notifyOthers: boolean): pg.QueryConfig {
  const text = (of: (arrival: NewEvent) => string | null) => binaryArray('text', arrivals.map(of))
  const bytes = (of: (arrival: NewEvent) => Buffer | null) => binaryArray('bytea', arrivals.map(of))
  const digests = (of: (arrival: NewEvent) => string | null) => binaryArray('uuid', arrivals.map(of))
  const counts = new Map<WebhookId, number>()
  for (const { webhookId } of arrivals) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1)
  return {
    name: 'take-in',
    text: 'call take_in($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, null)',
    values: [
      binaryArray('text', [...counts.keys()]),
      [...counts.values()],
      text(({ eventId }) => eventId),
      text(({ webhookId }) => webhookId),
      text(({ trigger }) => trigger),
      digests(({ key }) => key),
      digests(({ bindsBody }) => (bindsBody ? anyDigest : null)),
      text(({ source }) => source),
      text(({ headers }) => JSON.stringify(headers)),
      text(({ contentType }) => contentType),
      text(({ deliveryId }) => deliveryId),
      text(({ verification }) => verification),
      bytes(({ body }) => body),
      bytes(({ payload }) => payload),
      notifyOthers,
    ],
  }
}
