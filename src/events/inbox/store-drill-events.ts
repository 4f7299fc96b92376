import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { publishChange } from '../../shared/changes.ts'
import { type EventId, runOf, type WebhookId } from '../../shared/ids.ts'
import type { Verdict } from '../rules/judge-events.ts'

type DrillEvent = {
  id: EventId
  /** JSON. */
  body: Buffer
  headers: Record<string, string>
  verdict: Verdict | null
}

/** Test events that nothing but a drill runs: they are done, so no dispatcher takes them. */
export async function storeDrillEvents(
  tx: Db,
  webhookId: WebhookId,
  events: readonly DrillEvent[],
): Promise<void> {
  for (const { id, body, headers, verdict } of events)
    await sql`
      insert into events (id, source_id, run_id, trigger, status, received_at, settled_at, sender_address, headers, content_type,
                          verification, size_bytes, body, verdict, note)
      values (${id}, ${webhookId}, ${runOf(id)}, 'test', 'done', clock_timestamp(), clock_timestamp(), '', ${JSON.stringify(headers)},
              'application/json', 'off', ${body.length}, ${body}, ${verdict && JSON.stringify(verdict)}, ${'Made by a drill.'})`.execute(
      tx,
    )
  await publishChange(tx, 'events')
}
