import { moveEvent } from '../events/inbox/move-events.ts'
import { reportDeadEvent } from '../events/inbox/report-dead-event.ts'
import type { Jobs } from '../jobs.ts'
import type { DeadLetter } from '../platform/queue/queue.ts'
import { type MessageContext, notifyUnanswered } from '../runs/reply/notify-unanswered.ts'
import { postNoticeWith } from './post-notice.ts'

/** Handles a job that failed in all its tries: whoever waits for it is told in the channel; the rest is logged. */
export async function reportDeadJob(
  ctx: MessageContext,
  { name, payload, error }: DeadLetter,
): Promise<void> {
  // A dead letter holds the payload that the job was sent with.
  if (name === 'run.start')
    return await reportDeadEvent(
      { ...ctx, postNotice: postNoticeWith(ctx) },
      (payload as Jobs['run.start']).eventId,
      error,
    )
  if (name === 'event.notify') await moveEvent(ctx.db, (payload as Jobs['event.notify']).eventId, 'failed')
  // A sweep retries runs and replies; other dead jobs are only logged.
  ctx.log.error({ job: name, payload, err: error }, 'job.dead')
  if (name === 'message.received')
    await notifyUnanswered(ctx, (payload as Jobs['message.received']).messageId)
}
