import type { Db } from '../../platform/db/database.ts'
import type { MessageId } from '../../shared/ids.ts'
import { type ChannelRow, findChannel } from '../channels/store.ts'
import { findUser, type User } from '../identities/store.ts'
import { findMessage, listThread, type MessageRow } from '../store.ts'

export type Conversation = {
  message: MessageRow
  channel: ChannelRow
  /** What was said before, oldest first, each question with its answer, and last the message itself. */
  thread: MessageRow[]
  /** The user behind the message, with the current role; null for people without a linked account, and for programs. */
  author: User | null
}

const longestThread = 100

/** Everything the agent is told about a person's message. Null if the message was deleted. */
export async function findConversation(db: Db, messageId: MessageId): Promise<Conversation | null> {
  const message = await findMessage(db, messageId)
  const channel = message && (await findChannel(db, message.channelId))
  if (!message || !channel) return null
  const thread = message.threadId ? await readThread(db, message.threadId, message) : [message]
  return {
    message,
    channel,
    thread,
    author: message.authorId ? await findUser(db, message.authorId) : null,
  }
}

/**
 * In turns: an answer follows its question, even if others spoke in between. What was said later, and its answers, are not part
 * of this turn.
 */
async function readThread(db: Db, root: MessageId, message: MessageRow): Promise<MessageRow[]> {
  const newestFirst = await listThread(db, root, longestThread)
  const earlier = newestFirst.filter(({ id, turnSeq }) => id !== message.id && turnSeq < message.createdSeq)
  // However long the conversation is, its first message stays included.
  const first = earlier.at(-1)?.id === root ? null : await findMessage(db, root)
  return [...(first ? [first] : []), ...earlier.toReversed(), message]
}

/** What was said in a thread until then, oldest first. */
export async function readThreadUntil(db: Db, root: MessageId, until: Date): Promise<MessageRow[]> {
  const newestFirst = await listThread(db, root, longestThread)
  const earlier = newestFirst.filter(({ createdAt }) => createdAt <= until)
  const first = earlier.at(-1)?.id === root ? null : await findMessage(db, root)
  return [...(first ? [first] : []), ...earlier.toReversed()]
}
