import type { Db } from '../platform/db/database.ts'
import type { Log } from '../platform/log.ts'
import type { ChannelId } from '../shared/ids.ts'
import { findChannel } from './channels/store.ts'
import { type Chat, ChatError } from './chat.ts'
import { externalWorkspace } from './delivery/outbound/external-workspace.ts'
import { builtInWorkspace } from './platforms/built-in/built-in-workspace.ts'
import { findMessage } from './store.ts'
import { cleanReply } from './text/clean-reply.ts'
import { openStoredPlatform, type PlatformContext } from './workspaces/open-platform.ts'
import { findWorkspace } from './workspaces/store.ts'

type Context = PlatformContext & {
  db: Db
  log: Log
  now: () => Date
  /** The agent's name is shown above its messages. */
  settings: { read(): Promise<{ agent: { name: string } }> }
}

/** A note that is shown this long after its channel or workspace changed does no harm, unlike a message. */
const notesMs = 10_000

/** The chat as the rest of Bellhop sees it: each call goes to the workspace of its channel. */
export function openChat(ctx: Context): Chat {
  const builtIn = builtInWorkspace(ctx)

  async function workspaceOf(channelId: ChannelId): Promise<Chat> {
    const channel = await findChannel(ctx.db, channelId)
    if (!channel) throw new ChatError('refused', 'The channel or its workspace was deleted.')
    if (channel.platform === 'built-in' || channel.externalId === null) return builtIn
    const workspace = await findWorkspace(ctx.db, channel.workspaceId)
    if (!workspace) throw new ChatError('refused', 'The workspace was deleted.')
    const platform = await openStoredPlatform(ctx, workspace)
    const outside = { ...channel, externalId: channel.externalId }
    return externalWorkspace(ctx, workspace, outside, platform)
  }

  return {
    async post(message) {
      const chat = await workspaceOf(message.channelId)
      return chat.post({ ...message, text: cleanReply(message.text) })
    },
    async update(messageId, change) {
      const message = await findMessage(ctx.db, messageId)
      if (!message) throw new ChatError('refused', 'The message no longer exists.')
      const chat = await workspaceOf(message.channelId)
      return await chat.update(
        messageId,
        change.text === undefined ? change : { ...change, text: cleanReply(change.text) },
      )
    },
    async react(messageId) {
      const message = await findMessage(ctx.db, messageId)
      if (message) await (await workspaceOf(message.channelId)).react(messageId)
    },
    async isThere(messageId) {
      const message = await findMessage(ctx.db, messageId)
      return message !== null && (await (await workspaceOf(message.channelId)).isThere(messageId))
    },
    async retryAmbiguousPost(channelId, key) {
      const chat = await workspaceOf(channelId)
      await chat.retryAmbiguousPost(channelId, key)
    },
    async showWorking(channelId, threadId, note, runId) {
      const chat = await ctx.chatCache.getOrFetch(`notes ${channelId}`, notesMs, () => workspaceOf(channelId))
      await chat.showWorking(channelId, threadId, note, runId)
    },
    async fetchFiles(channelId, messageId) {
      const chat = await workspaceOf(channelId)
      await chat.fetchFiles(channelId, messageId)
    },
    async readThread(channelId, messageId, after) {
      const chat = await workspaceOf(channelId)
      return chat.readThread(channelId, messageId, after)
    },
  }
}
