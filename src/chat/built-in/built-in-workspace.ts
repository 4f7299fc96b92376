import { newId } from '../../ids.ts'
import type { Db } from '../../platform/db/database.ts'
import { type Chat, ChatError, type Posted } from '../chat.ts'
import { linkToMessage } from '../render-message.ts'
import {
  announce,
  changeMessage,
  findMessage,
  findMessageByKey,
  insertMessage,
  type MessageRow,
} from '../store.ts'

type Context = { db: Db; publicUrl: string; now: () => Date; agentName(): Promise<string> }

/** The chat room that Bellhop brings along. A post is a row, so a key makes it exactly one. */
export function builtInWorkspace(ctx: Context): Chat {
  const posted = (row: MessageRow): Posted => ({
    messageId: row.id,
    threadId: row.threadId ?? row.id,
    permalink: linkToMessage(ctx, row),
  })

  return {
    async post({ channelId, threadId, text, key, runId, card, author = 'agent' }) {
      const root = threadId === null ? null : await findMessage(ctx.db, threadId)
      const written = await insertMessage(ctx.db, {
        id: newId('message', ctx.now()),
        channelId,
        threadId: root ? (root.threadId ?? root.id) : null,
        authorKind: author,
        authorId: null,
        authorName: await ctx.agentName(),
        text,
        card,
        runId,
        postKey: key,
        now: ctx.now(),
      })
      const row = written ?? (await findMessageByKey(ctx.db, channelId, key))
      if (!row) throw new ChatError('refused', 'The channel does not exist any more.')
      return posted(row)
    },

    async update(messageId, change) {
      await changeMessage(ctx.db, messageId, { ...change, now: ctx.now() })
    },

    async allowAgain() {
      // A post here is a row: it is there or not, and everybody can tell.
    },

    async showWorking(channelId, threadId, note) {
      await announce(ctx.db, { channelId, working: { threadId, note } })
    },
  }
}
