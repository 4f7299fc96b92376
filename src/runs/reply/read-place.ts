import { sql } from 'kysely'
import type { Origin } from '../../chat/chat.ts'
import { describeEvent } from '../../events/ledger/describe-event.ts'
import { beginningBytes, type EventRow } from '../../events/ledger/events.ts'
import type { Db } from '../../platform/db/database.ts'
import { sourceName } from '../../shared/display-names.ts'
import type { SourceId } from '../../shared/ids.ts'
import type { Run } from '../store/run-rows.ts'
import type { KeyedEvent } from '../threads/event-threads.ts'

/** What whoever posts the reply of a run must know, read with one statement, since every run needs it. */
type Place = {
  /** What is in the channel under the run's key already. */
  posted: string | null
  /** For the thread of the event's key; null if it has none. */
  keyed: KeyedEvent | null
  /** What the reply answers, for those who read it in the channel. Null if a person asked. */
  origin: Origin | null
}

const nowhere: Place = { posted: null, keyed: null, origin: null }

export async function readPlace(db: Db, run: Run): Promise<Place> {
  const { channelId, eventId } = run
  if (run.dry || channelId === null) return nowhere
  const { rows } = await sql<
    Pick<EventRow, 'headers' | 'beginning' | 'threadKey' | 'receivedAt'> & {
      posted: string | null
      sourceId: SourceId
      closes: boolean
      source: string | null
    }
  >`
    select m.text as posted, e.source_id, e.thread_key, e.received_at, coalesce(e.headers, '{}') as headers,
           coalesce((e.verdict -> 'rule' ->> 'closes')::boolean, false) as closes,
           substring(coalesce(e.payload, e.body) from 1 for ${beginningBytes}) as beginning,
           ${sourceName(sql`${run.sourceId}`)} as source
    from (select) one left join messages m on m.channel_id = ${channelId} and m.post_key = ${run.id}
         left join events e on e.id = ${eventId}`.execute(db)
  const [row] = rows
  if (!row) return nowhere
  const { posted, sourceId, threadKey, closes, receivedAt, headers, beginning, source } = row
  const isWhole = (beginning?.length ?? 0) < beginningBytes
  return {
    posted,
    keyed: threadKey === null ? null : { sourceId, threadKey, channelId, closes, receivedAt },
    origin: eventId && { source, eventId, title: describeEvent({ headers, beginning, isWhole }) },
  }
}
