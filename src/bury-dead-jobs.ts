import type { JobQueue, Jobs } from './jobs.ts'
import { giveUpMessage, type MessageContext } from './runs/give-up-message.ts'
import { type BurialContext, buryDeadEvent } from './webhooks/bury-dead-event.ts'

type Context = BurialContext & MessageContext & { queue: Pick<JobQueue, 'buryDead'> }

/** What was given up after all its tries: whoever waits for it is told where they wait, and the log tells of the rest. */
export async function buryDeadJobs(ctx: Context): Promise<void> {
  await ctx.queue.buryDead(async (letters) => {
    for (const { name, payload, error } of letters) {
      // A dead letter holds the payload that was sent under its name.
      if (name === 'run.start') {
        await buryDeadEvent(ctx, (payload as Jobs['run.start']).eventId, error)
        continue
      }
      // Runs and replies have a sweep that takes them up again.
      ctx.log.error({ job: name, payload, err: error }, 'job.dead')
      if (name === 'message.received')
        await giveUpMessage(ctx, (payload as Jobs['message.received']).messageId)
    }
  })
}
