import { sql } from 'kysely'
import type { Chat } from '../../chat/chat.ts'
import { notifyEventsWaiting } from '../../events/inbox/move-events.ts'
import type { JobQueue, JobSender } from '../../jobs.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Log } from '../../platform/log.ts'
import type { RunId } from '../../shared/ids.ts'
import { modelLabel } from '../../shared/wording/model-label.ts'
import type { Outages } from './open-outages.ts'
import type { ModelName } from './store.ts'

type Context = { db: Db; queue: JobQueue; chat: Chat; log: Log; outages: Outages }

/** The model answers: runs and events that waited for it go on, and whoever was told of the outage is told of its end. */
export async function endOutage(ctx: Context, model: ModelName, asked?: 'on-purpose'): Promise<void> {
  let runs = 0
  const wake = async (tx: Db) => {
    runs = await wakeHeldRuns({ db: tx, queue: ctx.queue }, model)
  }
  const ended = await ctx.outages.end(model, wake, asked)
  if (!ended?.heldAt) return
  const label = modelLabel(model.provider, model.name)
  ctx.log.info({ model: label, heldMs: Math.round(ended.heldMs), runs }, 'model.available')
  if (ended.channelId === null) return
  const minutes = Math.max(1, Math.round(ended.heldMs / 60_000))
  await ctx.chat
    .post({
      channelId: ended.channelId,
      threadId: null,
      text: `▶️ The model ${label} answers again after ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}. Events that waited for it are handled now.`,
      key: `model-available ${model.provider} ${model.name} ${ended.heldAt.toISOString()}`,
      author: 'system',
    })
    .catch((err: unknown) => ctx.log.warn({ err }, 'model.notice_failed'))
}

/** They begin to count their failures anew. */
async function wakeHeldRuns({ db, queue }: JobSender, { provider, name }: ModelName): Promise<number> {
  const { rows } = await sql<{ id: RunId }>`
    update runs set model_failures = 0
    where status = 'running' and lease_until is null and resume_at is null and model_failures > 0
      and model_provider = ${provider} and model_name = ${name}
    returning id`.execute(db)
  await queue.sendMany(
    db,
    'run.advance',
    rows.map(({ id }) => ({ payload: { runId: id }, key: id })),
  )
  await notifyEventsWaiting(db)
  return rows.length
}
