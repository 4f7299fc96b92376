import type { Chat } from '../chat/chat.ts'
import { findMessage } from '../chat/store.ts'
import type { MessageId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import type { Log } from '../platform/log.ts'
import { findRunOfMessage } from './store/run-rows.ts'

export type MessageContext = { db: Db; chat: Chat; log: Log }

/** Somebody wrote to the agent, and no run could even be started for it: whoever wrote is told, once, in the thread. */
export async function giveUpMessage(ctx: MessageContext, messageId: MessageId): Promise<void> {
  const message = await findMessage(ctx.db, messageId)
  // A run that has begun is taken up again, and says itself how it ends.
  if (!message || (await findRunOfMessage(ctx.db, messageId))) return
  await ctx.chat
    .post({
      channelId: message.channelId,
      threadId: message.threadId ?? message.id,
      text: '⚠️ I could not answer this: Bellhop itself failed, several times. Ask once more; if that does not help, the log on the server has the details.',
      key: `dead:${messageId}`,
      author: 'system',
    })
    // A chat that is down must not keep the others unburied.
    .catch((error: unknown) => ctx.log.warn({ err: error, messageId }, 'message.notice_failed'))
}
