import type { ChannelId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import { builtInWorkspace } from './built-in/built-in-workspace.ts'
import { type Chat, ChatError } from './chat.ts'
import { type ChannelRow, findChannel, findMessage } from './store.ts'
import { cleanReply } from './text/clean-reply.ts'

type Context = { db: Db; publicUrl: string; now: () => Date }

/** The port as the rest of Bellhop sees it: a channel id leads to the workspace that it is in. */
export function openChat(ctx: Context): Chat {
  const builtIn = builtInWorkspace(ctx)

  async function workspaceOf(channelId: ChannelId): Promise<{ chat: Chat; channel: ChannelRow }> {
    const channel = await findChannel(ctx.db, channelId)
    if (!channel) throw new ChatError('refused', 'The channel or its workspace was deleted.')
    return { chat: builtIn, channel }
  }

  return {
    async post(message) {
      const { chat } = await workspaceOf(message.channelId)
      return chat.post({ ...message, text: cleanReply(message.text) })
    },
    async update(messageId, change) {
      const message = await findMessage(ctx.db, messageId)
      if (!message) throw new ChatError('refused', 'The message does not exist any more.')
      const { chat } = await workspaceOf(message.channelId)
      await chat.update(
        messageId,
        change.text === undefined ? change : { ...change, text: cleanReply(change.text) },
      )
    },
    async find(channelId, key) {
      const { chat } = await workspaceOf(channelId)
      return chat.find(channelId, key)
    },
    async showWorking(channelId, threadId, note) {
      const { chat } = await workspaceOf(channelId)
      await chat.showWorking(channelId, threadId, note)
    },
  }
}
