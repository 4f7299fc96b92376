import { invalidField, problem } from '../../http/problems.ts'
import type { JobQueue } from '../../jobs.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import { type ChannelId, type FileId, type MessageId, newId } from '../../shared/ids.ts'
import { getChannel } from '../channels/manage-channels.ts'
import type { FileShape } from '../files/contract.ts'
import { claimFiles, tellFiles } from '../files/store.ts'
import { findRoot, insertMessage, type MessageRow } from '../store.ts'
import { notifyAgent } from '../threads/notify-agent.ts'
import { matchWatch, type WatchContext } from '../watches/match-watch.ts'
import { findWatch } from '../watches/store.ts'
import { mentionsAgent } from './is-addressed.ts'

type Context = WatchContext & {
  db: Db
  queue: JobQueue
  now: () => Date
  settings: { read(): Promise<{ agent: { name: string } }> }
}

type Written = {
  channelId: ChannelId
  threadId: MessageId | null
  text: string
  fileIds: readonly FileId[]
  author: Actor
}

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
  const isForAgent = mentionsAgent({ message: { text: written.text }, channel }, agent.name)
  const watched =
    written.threadId === null && !isForAgent
      ? await matchWatch(ctx, await findWatch(ctx.db, channel.id), {
          text: written.text,
          author: authorOf(written.author),
        })
      : null
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
    const files = await claim(tx, written, row)
    if (watched) await ctx.events.storeWatched(tx, { ...watched, messageId: row.id })
    else await notifyAgent(ctx, tx, row, agent.name)
    return files === null ? row : { ...row, files }
  })
}

async function claim(
  tx: Db,
  { fileIds, channelId, author }: Written,
  { id }: MessageRow,
): Promise<FileShape[] | null> {
  if (fileIds.length === 0) return null
  const files = await claimFiles(tx, { ids: fileIds, channelId, authorId: author.id }, id)
  if (files === null)
    throw invalidField('/fileIds', 'A file is not there any more, or was sent before. Attach it again.')
  await tellFiles(tx, id, files)
  return files
}

/** A program that writes with an API key is an app. */
function authorOf({ kind, name, role }: Actor) {
  return {
    kind: kind === 'user' ? ('person' as const) : ('app' as const),
    name,
    role: role === 'none' ? null : role,
  }
}
