import { eraseMessages } from '../../chat/messages/erase-messages.ts'
import { findTrigger } from '../../events/inbox/find-trigger.ts'
import type { JobSender } from '../../jobs.ts'
import type { EventId } from '../../shared/ids.ts'
import { eraseToolCalls } from '../../tools/end-tool-calls.ts'
import { wipeQuotes } from '../store/quoted-events.ts'
import { listRunsOfEvent, lockThreadsOfEvent, wipeRuns } from '../store/wipe-runs.ts'
import { noticeKey } from '../threads/notify-event.ts'

/**
 * In the transaction that erases the event: also erases what its runs, its replays and the conversations about them stored, and
 * where other runs of its source looked back at it.
 */
export async function eraseRuns(ctx: JobSender, eventId: EventId): Promise<void> {
  await lockThreadsOfEvent(ctx.db, eventId)
  await wipeQuotes(ctx.db, eventId)
  const runIds = await listRunsOfEvent(ctx.db, eventId)
  await wipeRuns(ctx.db, runIds)
  // Whoever edits or deletes a channel locks it before its approvals, and so does this.
  const trigger = await findTrigger(ctx.db, eventId)
  await eraseMessages(
    ctx.db,
    runIds,
    trigger && {
      channelId: trigger.source.channelId,
      key: noticeKey(eventId),
      messageId: trigger.event.messageId,
    },
  )
  await eraseToolCalls(ctx, runIds)
}
