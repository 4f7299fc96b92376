import { sql } from 'kysely'
import type { Role } from '../actor.ts'
import type { MessageId, UserId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import { type ChannelRow, findChannel } from './channels/store.ts'
import { agentMention } from './chat.ts'
import { findMessage, listMessages, type MessageRow } from './store.ts'

export type Conversation = {
  message: MessageRow
  channel: ChannelRow
  /** The thread up to and including the message, oldest first; just the message when it starts one. */
  thread: MessageRow[]
  /** Whether the agent is meant: by mention, in a direct conversation, or in a thread that it takes part in. */
  addressed: boolean
  /** The user behind the message, with the role of now; null for people whose chat account is not linked, and for programs. */
  author: { id: UserId; name: string; role: Role } | null
}

const longestThread = 100

/** Everything the agent is told about a message that somebody wrote. Null when the message is gone. */
export async function readConversation(db: Db, messageId: MessageId): Promise<Conversation | null> {
  const message = await findMessage(db, messageId)
  const channel = message && (await findChannel(db, message.channelId))
  if (!message || !channel) return null
  const newestFirst = message.threadId
    ? await listThread(db, message.threadId, message.createdSeq)
    : [message]
  const thread = newestFirst.toReversed()
  return {
    message,
    channel,
    thread,
    addressed:
      message.authorKind === 'user' &&
      (channel.kind === 'direct' ||
        mentionsAgent(message.text) ||
        thread.some(({ authorKind, text }) => authorKind === 'agent' || mentionsAgent(text))),
    author: message.authorId ? await findUser(db, message.authorId) : null,
  }
}

function mentionsAgent(text: string): boolean {
  return new RegExp(`(?<![\\w@])${agentMention}(?![\\w-])`, 'i').test(text)
}

async function listThread(db: Db, threadId: MessageId, upTo: number): Promise<MessageRow[]> {
  const rows = await listMessages(db, {
    channelId: null,
    threadId,
    terms: null,
    cursor: undefined,
    limit: longestThread,
    withDirect: true,
  })
  return rows.filter((row) => row.createdSeq <= upTo).sort((a, b) => b.createdSeq - a.createdSeq)
}

export async function findUser(
  db: Db,
  userId: string,
): Promise<{ id: UserId; name: string; role: Role } | null> {
  const { rows } = await sql<{ id: UserId; name: string; role: Role }>`
    select id, name, role from users where id = ${userId} and disabled_at is null`.execute(db)
  return rows[0] ?? null
}
