import type { AppContext } from './app.ts'
import { remindOfApproval, showApproval } from './approvals/ask-in-chat.ts'
import { expireApprovals } from './approvals/expire-approvals.ts'
import type { Jobs } from './jobs.ts'
import { repeat } from './platform/repeat.ts'

/** Who does each job of src/jobs.ts, and what is looked after in between. */
export async function startWorkers(ctx: AppContext): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack()

  await work('approval.show', 2, ({ approvalId }) => showApproval(ctx, approvalId))
  await work('approval.remind', 1, ({ approvalId }) => remindOfApproval(ctx, approvalId))

  every(2_000, 'approvals.expire', () => expireApprovals(ctx))

  return stack.move()

  async function work<Name extends keyof Jobs>(
    name: Name,
    concurrency: number,
    perform: (payload: Jobs[Name], signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    await ctx.queue.work(name, { concurrency }, async (payload, signal) => {
      try {
        await ctx.tracing.span(name, payload, () => perform(payload, signal))
      } catch (error) {
        ctx.metrics.jobsFailed.inc({ job: name })
        ctx.log.warn({ err: error, job: name, payload }, 'job.failed')
        throw error
      }
    })
  }

  function every(ms: number, name: string, perform: () => Promise<void>): void {
    stack.use(repeat(name, ms, ctx.log, perform))
  }
}
