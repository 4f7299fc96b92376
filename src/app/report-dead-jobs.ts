import { type DeadEventContext, reportDeadEvent } from '../events/inbox/report-dead-event.ts'
import type { JobQueue, Jobs } from '../jobs.ts'
import { type MessageContext, notifyUnanswered } from '../runs/reply/notify-unanswered.ts'

type Context = DeadEventContext & MessageContext & { queue: Pick<JobQueue, 'takeDeadLetters'> }

/** Handles jobs that failed in all their tries: whoever waits for one is told in the channel; the rest is logged. */
export async function reportDeadJobs(ctx: Context): Promise<void> {
  await ctx.queue.takeDeadLetters(async (letters) => {
    for (const { name, payload, error } of letters) {
      // A dead letter holds the payload that the job was sent with.
      if (name === 'run.start') {
        await reportDeadEvent(ctx, (payload as Jobs['run.start']).eventId, error)
        continue
      }
      // A sweep retries runs and replies; other dead jobs are only logged.
      ctx.log.error({ job: name, payload, err: error }, 'job.dead')
      if (name === 'message.received')
        await notifyUnanswered(ctx, (payload as Jobs['message.received']).messageId)
    }
  })
}
