import type { Db } from '../../../platform/db/database.ts'
import { type Chat, ChatError } from '../../chat.ts'
import { linkToMessage } from '../../messages/render-message.ts'
import { writePost } from '../../messages/write-post.ts'
import { announce, changeMessage, findMessage, findMessageByKey } from '../../store.ts'

type Context = {
  db: Db
  publicUrl: string
  now: () => Date
  settings: { read(): Promise<{ agent: { name: string } }> }
}

/** The chat that is built in. A post is a row, and its key is unique, so a repeated post creates no second message. */
export function builtInWorkspace(ctx: Context): Chat {
  return {
    async post(post) {
      const written = {
        ...post,
        authorName: (await ctx.settings.read()).agent.name,
        delivery: 'sent',
        now: ctx.now(),
      } as const
      const row =
        (await writePost(ctx.db, written)) ?? (await findMessageByKey(ctx.db, post.channelId, post.key))
      if (!row) throw new ChatError('refused', 'The channel no longer exists.')
      return { messageId: row.id, permalink: linkToMessage(ctx, row) }
    },

    async update(messageId, change) {
      await changeMessage(ctx.db, messageId, { ...change, editedAt: ctx.now() })
      return true
    },

    async react() {
      // Every message can be edited here.
    },

    isThere: async (messageId) => (await findMessage(ctx.db, messageId)) !== null,

    async retryAmbiguousPost() {
      // Nothing to do: whether a post exists is never in doubt here.
    },

    async showWorking(channelId, threadId, note, runId) {
      await announce(ctx.db, { channelId, working: { threadId, note, runId } })
    },

    async fetchFiles() {
      // They were read when they were uploaded.
    },

    // Every thread here is stored.
    readThread: async () => null,
  }
}
