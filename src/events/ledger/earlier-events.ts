import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId, EventId, RunId, SourceId } from '../../shared/ids.ts'
import { type EventRow, listEvents } from './events.ts'
import { containingWords, findEndOfSlice } from './search-events.ts'

/** Where events come from, and the channel they are handled in: what was said elsewhere stays there. */
export type EventSource = { sourceId: SourceId; channelId: ChannelId }

export type EarlierEvents = {
  /** The newest first. */
  rows: EventRow[]
  /** Every word is in each of them, in the event or in its reply, or only some of the words. */
  contains: 'all' | 'some'
  /** There are more that match. */
  more: boolean
  /** Older ones were not searched. */
  searchedBackTo: Date | null
}

/** A run may ask many times. */
const most = { events: 5_000, bytes: 8 * 1024 * 1024 }

type Asked = {
  words: readonly string[]
  before: EventId | undefined
  without: readonly RunId[]
  limit: number
}

/** The newest events of a source that contain these words, in capitals or not; without words, simply the newest. */
export async function findEarlierEvents(
  db: Db,
  source: EventSource,
  { words, before, without, limit }: Asked,
): Promise<EarlierEvents> {
  const of = { sourceId: source.sourceId, cursor: before, limit }
  const last = await findEndOfSlice(db, of, most)
  if (!last) return { rows: [], contains: 'all', more: false, searchedBackTo: null }
  const among = sql`e.id >= ${last.id} and e.erased_at is null and e.run_id <> all (${without})
    and not exists (select from runs x where x.id = e.run_id and x.channel_id <> ${source.channelId})`
  const find = async (contains: 'all' | 'some') => {
    const rows = await listEvents(db, of, sql`${among} and ${containingWords(words, contains)}`)
    return {
      rows: rows.slice(0, limit),
      contains,
      more: rows.length > limit,
      searchedBackTo: last.more ? last.receivedAt : null,
    }
  }
  const found = await find('all')
  return found.rows.length > 0 || words.length < 2 ? found : await find('some')
}

/** What the agent would have been shown of the event; null if it is not one of this source, or was erased. */
export async function findBodyOf(db: Db, source: EventSource, id: EventId): Promise<string | null> {
  const { rows } = await sql<{ body: Buffer | null }>`
    select coalesce(payload, body) as body from events e
    where id = ${id} and source_id = ${source.sourceId} and erased_at is null
      and not exists (select from runs x where x.id = e.run_id and x.channel_id <> ${source.channelId})`.execute(
    db,
  )
  return rows[0]?.body?.toString('utf8') ?? null
}
