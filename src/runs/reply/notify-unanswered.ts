import type { Chat } from '../../chat/chat.ts'
import { findMessage } from '../../chat/store.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Log } from '../../platform/log.ts'
import type { MessageId } from '../../shared/ids.ts'
import { findRunOfMessage } from '../store/run-rows.ts'

export type MessageContext = { db: Db; chat: Chat; log: Log }

/** Tells the author of a message, once and in its thread, that no run could be started for it. */
export async function notifyUnanswered(ctx: MessageContext, messageId: MessageId): Promise<void> {
  const message = await findMessage(ctx.db, messageId)
  // A run that was started is retried by the sweep and posts its own notice if it fails.
  if (!message || (await findRunOfMessage(ctx.db, messageId))) return
  await ctx.chat
    .post({
      channelId: message.channelId,
      threadId: message.threadId ?? message.id,
      text: '⚠️ I could not answer this because of repeated internal errors. Please ask again; if it keeps failing, the server log has the details.',
      key: `dead:${messageId}`,
      author: 'system',
    })
    // If the chat is down, a dead message must not hold up the others.
    .catch((error: unknown) => ctx.log.warn({ err: error, messageId }, 'message.notice_failed'))
}
