import { invalidField, problem } from '../../http/problems.ts'
import type { JobQueue } from '../../jobs.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import { type ChannelId, type MessageId, newId } from '../../shared/ids.ts'
import { getChannel } from '../channels/manage-channels.ts'
import { findRoot, insertMessage, type MessageRow } from '../store.ts'
import { notifyAgent } from '../threads/notify-agent.ts'

type Context = {
  db: Db
  queue: JobQueue
  now: () => Date
  settings: { read(): Promise<{ agent: { name: string } }> }
}

type Written = { channelId: ChannelId; threadId: MessageId | null; text: string; author: Actor }

/** Somebody writes in the built-in workspace. The message and the notification of the agent are one transaction. */
export async function receiveMessage(ctx: Context, written: Written): Promise<MessageRow> {
  const channel = await getChannel(ctx.db, written.author, written.channelId)
  if (channel.platform !== 'built-in') {
    throw problem(
      'invalid-request',
      `This channel is in ${channel.workspaceName}. Write there; Bellhop posts only its own messages to it.`,
    )
  }
  const { agent } = await ctx.settings.read()
  return ctx.db.transaction().execute(async (tx) => {
    const root = written.threadId === null ? null : await findRoot(tx, written.threadId)
    if (written.threadId !== null && root?.channelId !== channel.id)
      throw invalidField('/threadId', 'There is no such message in this channel.')
    const row = await insertMessage(tx, {
      id: newId('message', ctx.now()),
      channelId: channel.id,
      threadId: root?.id ?? null,
      authorKind: 'user',
      authorId: written.author.id,
      authorName: written.author.name,
      text: written.text,
    })
    if (!row) throw new Error('A message with a new id and no key met another one.')
    await notifyAgent(ctx, tx, row, agent.name)
    return row
  })
}
