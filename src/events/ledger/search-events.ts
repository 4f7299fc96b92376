import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { escapeNonAscii } from '../../platform/json/escape-non-ascii.ts'
import type { EventId } from '../../shared/ids.ts'
import { type EventFilter, type EventRow, listEvents, newestEvents } from './events.ts'

/** Bodies have no index, so they are scanned. One request scans this much and says where the next continues. */
const mostOfRequest = { events: 20_000, bytes: 32 * 1024 * 1024 }

export type Found = {
  rows: EventRow[]
  /** How far back the search got, if it is not finished. */
  searchedTo: { id: EventId; receivedAt: Date } | null
}

/** The newest `limit + 1` events that contain the text, among those that one request may scan. */
export async function searchEvents(db: Db, of: EventFilter, text: string): Promise<Found> {
  const last = await findEndOfSlice(db, of)
  if (!last) return { rows: [], searchedTo: null }
  const rows = await listEvents(db, of, sql`e.id >= ${last.id} and (${containing(text)})`)
  const reachedTheEnd = !last.more
  return { rows, searchedTo: reachedTheEnd ? null : last }
}

/** The last event of the slice: where it ends, by number of events and by their size. Null if there is none. */
export async function findEndOfSlice(
  db: Db,
  of: EventFilter,
  most = mostOfRequest,
): Promise<{ id: EventId; receivedAt: Date; more: boolean } | null> {
  const { rows } = await sql<{ id: EventId; receivedAt: Date; more: boolean }>`
    select id, received_at, more from (
      select id, received_at, lead(id) over newest is not null as more,
             row_number() over newest as place, sum(size_bytes) over newest - size_bytes as bytes_before
      from (
        ${newestEvents(of, most.events + 1, { columns: sql`e.id, e.received_at, e.size_bytes` })}
      ) e
      window newest as (order by id desc)
    ) e
    where place <= ${most.events} and bytes_before < ${most.bytes}
    order by id limit 1`.execute(db)
  return rows[0] ?? null
}

function containing(text: string) {
  // The payload is what people see of a form, whose own bytes are percent-encoded.
  const found = spellings(text).map(
    (bytes) => sql`position(${bytes}::bytea in coalesce(e.payload, e.body)) > 0`,
  )
  return sql`e.delivery_id = ${text} or ${sql.join(found, sql` or `)}`
}

/** All of these words, or some, in the event or in its reply, in capitals or not. Bytes that are not ASCII are compared as they are. */
export function containingWords(words: readonly string[], which: 'all' | 'some'): RawBuilder<unknown> {
  if (words.length === 0) return sql`true`
  const fold = (bytes: RawBuilder<unknown>) => sql`lower(encode(${bytes}, 'escape') collate "C")`
  const each = words.map((word) => {
    const inBody = spellings(word).map(
      (bytes) => sql`position(${fold(sql`${bytes}::bytea`)} in folded.body) > 0`,
    )
    return sql`(${sql.join(inBody, sql` or `)} or position(lower(${word}) in folded.reply) > 0)`
  })
  // `offset 0`: each event is folded once, and not once for every word.
  return sql`(select ${sql.join(each, which === 'all' ? sql` and ` : sql` or `)} from (
    select ${fold(sql`coalesce(e.payload, e.body)`)} as body,
      coalesce((select lower(p.text) from replies p where p.run_id = e.run_id and p.state = 'posted'), '') as reply
    offset 0) folded)`
}

/** Senders write the same text in different ways: plain, or escaped as JSON allows. */
function spellings(text: string): Buffer[] {
  const quoted = JSON.stringify(text).slice(1, -1)
  const ascii = escapeNonAscii(quoted)
  const upper = ascii.replace(/\\u[0-9a-f]{4}/g, (escaped) => `\\u${escaped.slice(2).toUpperCase()}`)
  return [...new Set([text, quoted, ascii, upper])].map((spelling) => Buffer.from(spelling, 'utf8'))
}
