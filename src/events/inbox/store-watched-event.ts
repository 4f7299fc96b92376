import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import { publishChange } from '../../shared/changes.ts'
import { type MessageId, newId, runOf, type WatchId } from '../../shared/ids.ts'
import type { Verdict } from '../rules/judge-events.ts'
import { notifyEventsWaiting } from './move-events.ts'

type WatchedMessage = {
  watchId: WatchId
  messageId: MessageId
  /** JSON. */
  body: string
  /** Why the condition of the watch could not be evaluated. */
  fault: string | null
}

/** What was written in a watched channel becomes an event, in the transaction that stores the message. */
export async function storeWatchedEvent(
  tx: Db,
  { watchId, messageId, body, fault }: WatchedMessage,
  now: Date,
): Promise<void> {
  const id = newId('event', now)
  const verdict: Verdict | null =
    fault === null
      ? null
      : {
          rule: null,
          faults: [{ index: 0, detail: replaceNul(fault) }],
          values: [],
          notice: null,
          keyFault: null,
        }
  await sql`
    insert into events (id, source_id, run_id, trigger, status, received_at, sender_address, headers, content_type, verification,
                        size_bytes, body, message_id, verdict)
    values (${id}, ${watchId}, ${runOf(id)}, 'watch', 'accepted', clock_timestamp(), '', '{}', 'application/json', 'off',
            ${Buffer.byteLength(body)}, ${Buffer.from(body)}, ${messageId}, ${verdict && JSON.stringify(verdict)})`.execute(
    tx,
  )
  await notifyEventsWaiting(tx)
  await publishChange(tx, 'events')
}
