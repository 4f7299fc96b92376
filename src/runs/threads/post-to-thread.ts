import { type Chat, ChatError, type NewPost, type Posted } from '../../chat/chat.ts'
import { findMessage } from '../../chat/store.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Log } from '../../platform/log.ts'
import type { MessageId } from '../../shared/ids.ts'
import {
  findEventThread,
  forgetEventThread,
  type KeyedEvent,
  openEventThread,
  setThreadClosed,
  type ThreadRef,
} from './event-threads.ts'

type Context = { db: Db; chat: Chat; log: Log }

/** Stands at the beginning of the first message of a thread whose matter is settled. */
const mark = '✅ **Resolved**\n\n'

/** The first message of the thread; null if there is none, or people deleted its first message. */
export async function findThreadRoot(ctx: Context, ref: ThreadRef): Promise<MessageId | null> {
  const thread = await findEventThread(ctx.db, ref)
  if (!thread) return null
  if (await ctx.chat.isThere(thread.messageId)) return thread.messageId
  await forgetEventThread(ctx.db, ref)
  return null
}

/** Posts in the thread of the event's key. The first message opens it, also if people deleted the former one. */
export async function postToThread(ctx: Context, ref: ThreadRef, post: NewPost): Promise<Posted> {
  const threadId = await findThreadRoot(ctx, ref)
  if (threadId !== null) {
    try {
      return await ctx.chat.post({ ...post, threadId })
    } catch (error) {
      // The thread is gone, or the whole channel: the second attempt tells.
      if (!(error instanceof ChatError) || error.fault !== 'refused') throw error
      ctx.log.warn({ err: error, threadId }, 'thread.opened_anew')
      await forgetEventThread(ctx.db, ref)
      return await open(ctx, ref, { ...post, key: `${post.key} anew` })
    }
  }
  return await open(ctx, ref, post)
}

async function open(ctx: Context, ref: ThreadRef, post: NewPost): Promise<Posted> {
  const posted = await ctx.chat.post({ ...post, threadId: null })
  await openEventThread(ctx.db, ref, posted.messageId)
  return posted
}

/**
 * After an event was handled: the first message shows whether the matter is settled. An event that came before it was settled does
 * not reopen it, however late its reply is.
 */
export async function markThread(ctx: Context, event: KeyedEvent): Promise<void> {
  const thread = await findEventThread(ctx.db, event)
  const root = thread && (await findMessage(ctx.db, thread.messageId))
  if (!thread || !root) return
  const { closedAt } = thread
  const isClosed = event.closes || (closedAt !== null && event.receivedAt < closedAt)
  const plain = root.text.startsWith(mark) ? root.text.slice(mark.length) : root.text
  const text = isClosed ? mark + plain : plain
  if (text !== root.text && !(await ctx.chat.update(root.id, { text })) && isClosed)
    await ctx.chat.react(root.id)
  if (isClosed !== (closedAt !== null)) await setThreadClosed(ctx.db, event, isClosed)
}
