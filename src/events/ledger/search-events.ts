import { type RawBuilder, sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import { escapeNonAscii } from '../../platform/json/escape-non-ascii.ts'
import type { EventId } from '../../shared/ids.ts'
import { beginningBytes, type EventFilter, type EventRow, listEvents, newestEvents } from './events.ts'
import { classify } from './show-event.ts'

/** Bodies have no index, so they are scanned. One request scans this much and says where the next continues. */
const mostOfRequest = { events: 20_000, bytes: 32 * 1024 * 1024 }

export type Found = {
  rows: EventRow[]
  /** How far back the search got, if it is not finished. */
  searchedTo: { id: EventId; receivedAt: Date } | null
}

/** What bodies and headers are searched for. */
export type Searched = { text?: string | undefined; type?: string | undefined }

/** The newest `limit + 1` events that match, among those that one request may scan. */
export async function searchEvents(db: Db, of: EventFilter, { text, type }: Searched): Promise<Found> {
  const last = await findEndOfSlice(db, of)
  if (!last) return { rows: [], searchedTo: null }
  const rows = await listEvents(
    db,
    of,
    allOf([sql`e.id >= ${last.id}`, text && containing(text), type && naming(type)]),
  )
  const ofType = type ? rows.filter((row) => classify(row).type === type) : rows
  // Those that only contain the name of the type took places of the page, so the search goes on after them.
  const end = rows.length > of.limit && ofType.length <= of.limit ? rows.at(-1) : undefined
  return { rows: ofType, searchedTo: end ?? (last.more ? last : null) }
}

/** The types of the newest events, the most frequent first. */
export async function listEventTypes(db: Db, of: EventFilter): Promise<string[]> {
  const types = Map.groupBy(await listEvents(db, of), (row) => classify(row).type)
  types.delete(null)
  return [...types].toSorted(([, a], [, b]) => b.length - a.length).flatMap(([type]) => type ?? [])
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
  return sql`(e.delivery_id = ${text} or ${sql.join(found, sql` or `)})`
}

/** All words of the type, in the parts that it is read from. */
function naming(type: string): RawBuilder<unknown> {
  const parts = sql`convert_to(e.headers::text, 'UTF8') || substring(coalesce(e.payload, e.body) from 1 for ${beginningBytes})`
  return allOf(
    type.split(' ').map((word) => {
      const found = spellings(word).map((bytes) => sql`position(${bytes}::bytea in ${parts}) > 0`)
      return sql`(${sql.join(found, sql` or `)})`
    }),
  )
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
