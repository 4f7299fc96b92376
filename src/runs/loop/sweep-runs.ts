import type { Chat } from '../../chat/chat.ts'
import type { JobQueue } from '../../jobs.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Settings } from '../../settings/open-settings.ts'
import { sealPlans } from '../reply/live-plan.ts'
import { shortenLeases } from '../store/leases.ts'
import { listForgottenReplies } from '../store/replies.ts'
import { listForgottenRuns, listOverlookedRuns } from '../store/run-rows.ts'

type Context = { db: Db; queue: JobQueue; settings: Settings; chat: Chat; log: Log }

const batchSize = 200

/** The backstop: a run that could continue does, even if its job was lost. Existing jobs are not duplicated. */
export async function sweepRuns(ctx: Context): Promise<void> {
  await shortenLeases(ctx.db)
  const { agent } = await ctx.settings.read()
  if (!agent.paused) {
    const runs = [
      ...(await listForgottenRuns(ctx.db, batchSize)),
      ...(await listOverlookedRuns(ctx.db, batchSize)),
    ]
    await ctx.queue.sendMany(
      ctx.db,
      'run.advance',
      runs.map((runId) => ({ payload: { runId }, key: runId })),
    )
  }
  await sealPlans(ctx)
  const replies = await listForgottenReplies(ctx.db, batchSize)
  await ctx.queue.sendMany(
    ctx.db,
    'reply.post',
    replies.map((runId) => ({ payload: { runId }, key: runId })),
  )
}
