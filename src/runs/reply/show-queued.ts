import type { Chat } from '../../chat/chat.ts'
import { findMessage } from '../../chat/store.ts'
import type { JobQueue } from '../../jobs.ts'
import type { Db } from '../../platform/db/database.ts'
import type { MessageId } from '../../shared/ids.ts'
import { findRunOfMessage } from '../store/run-rows.ts'

type Context = { db: Db; queue: JobQueue; chat: Chat; now: () => Date }

/** Platforms drop a note by themselves after about two minutes. */
const againAfterMs = 60_000
const longestMs = 60 * 60_000

/** The job: somebody wrote to the agent, and all places are taken. Until the run begins, the thread says why nothing happens. */
export async function showQueued(ctx: Context, messageId: MessageId): Promise<void> {
  const message = await findMessage(ctx.db, messageId)
  if (!message || (await findRunOfMessage(ctx.db, messageId))) return
  // It may also be that nobody is addressed any more.
  if (ctx.now().getTime() - message.createdAt.getTime() > longestMs) return
  const { channelId, threadId } = message
  await ctx.chat.showWorking(channelId, threadId ?? messageId, 'busy with other requests…')
  await ctx.queue.send(ctx.db, 'message.queued', { messageId }, { key: messageId, startAfter: againAfterMs })
}
