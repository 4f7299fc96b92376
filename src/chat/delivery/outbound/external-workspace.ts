import type { Db } from '../../../platform/db/database.ts'
import type { Log } from '../../../platform/log.ts'
import type { ChannelRow } from '../../channels/store.ts'
import { type Chat, ChatError, type NewPost, type Posted } from '../../chat.ts'
import { fetchFiles } from '../../files/fetch-files.ts'
import { writePost } from '../../messages/write-post.ts'
import type { Platform } from '../../platforms/platform.ts'
import { isRefusal, PlatformError } from '../../platforms/platform-error.ts'
import {
  announce,
  changeMessage,
  findMessage,
  findMessageByKey,
  findRoot,
  type MessageRow,
} from '../../store.ts'
import { splitMarkdown } from '../../text/split-markdown.ts'
import { takeOutTables } from '../../text/take-out-tables.ts'
import { readForeignThread } from '../../threads/read-foreign-thread.ts'
import type { WorkspaceRow } from '../../workspaces/store.ts'
import { asChatError, ratedOf, recordFault, refuseWhilePaused, sendParts } from './send-parts.ts'
import { forgetAttempts, insertParts, listParts, type NewPart } from './store.ts'

type Context = {
  db: Db
  log: Log
  now: () => Date
  settings: { read(): Promise<{ agent: { name: string } }> }
}

/**
 * A channel of a chat platform. Every message is stored as a row first; the row and its parts are the outbox, and what the
 * dashboard shows of the channel.
 */
export function externalWorkspace(
  ctx: Context,
  workspace: WorkspaceRow,
  channel: ChannelRow & { externalId: string },
  platform: Platform,
): Chat {
  async function deliver(row: MessageRow): Promise<Posted> {
    if (row.delivery === 'sent') return posted(row)
    if (row.delivery === 'ambiguous') throw new ChatError('ambiguous', 'It is not known whether it arrived.')
    try {
      const thread = await findExternalThread(ctx.db, row.threadId)
      const externalId = await sendParts(ctx, workspace, platform, envelopeOf(row, channel, thread))
      const permalink = await linkTo(thread, externalId)
      return posted((await changeMessage(ctx.db, row.id, { delivery: 'sent', externalId, permalink })) ?? row)
    } catch (error) {
      if (error instanceof ChatError && error.fault !== 'unavailable') {
        const delivery = error.fault === 'ambiguous' ? 'ambiguous' : 'failed'
        await changeMessage(ctx.db, row.id, { delivery })
      }
      throw error
    }
  }

  /** The link is optional: without it the message is posted all the same. */
  async function linkTo(thread: string | null, externalId: string): Promise<string | null> {
    try {
      return await platform.link(channel.externalId, thread, externalId)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      return null
    }
  }

  return {
    async post(message) {
      const known = await findMessageByKey(ctx.db, channel.id, message.key)
      const row = known ?? (await storePost(ctx, platform, message))
      if (!row) throw new ChatError('refused', 'The channel no longer exists.')
      return deliver(row)
    },

    async update(messageId, change) {
      const row = await ctx.db.transaction().execute(async (tx) => {
        const changed = await changeMessage(tx, messageId, { ...change, editedAt: ctx.now() })
        if (changed) await insertParts(tx, messageId, await textsOf(tx, platform, changed))
        return changed
      })
      return row !== null && (await updatePosted(ctx, workspace, channel, platform, row))
    },

    async react(messageId) {
      const row = await findMessage(ctx.db, messageId)
      if (!row?.externalId) return
      try {
        await platform.react?.(channel.externalId, row.externalId)
      } catch (error) {
        ctx.log.warn({ err: error, workspaceId: workspace.id, messageId }, 'chat.reaction_refused')
      }
    },

    async isThere(messageId) {
      const row = await findMessage(ctx.db, messageId)
      if (!row) return false
      if (row.externalId === null || !platform.isThere) return true
      try {
        return await platform.isThere(channel.externalId, row.externalId)
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        // It could not be found out; posting shows.
        return true
      }
    },

    async retryAmbiguousPost(channelId, key) {
      const row = await findMessageByKey(ctx.db, channelId, key)
      if (row?.delivery !== 'ambiguous') return
      await forgetAttempts(ctx.db, row.id)
      await changeMessage(ctx.db, row.id, { delivery: 'sending' })
    },

    async fetchFiles(_channelId, messageId) {
      await fetchFiles(ctx.db, platform, messageId)
    },

    async showWorking(channelId, threadId, note, runId) {
      await announce(ctx.db, { channelId, working: { threadId, note, runId } })
      if (workspace.pausedUntil || workspace.revokedAt) return
      try {
        await platform.showWorking?.(channel.externalId, await findExternalThread(ctx.db, threadId), note)
      } catch (error) {
        ctx.log.debug({ err: error, workspaceId: workspace.id }, 'chat.working_not_shown')
      }
    },

    async readThread(_channelId, messageId, after) {
      const message = await findMessage(ctx.db, messageId)
      return message && (await readForeignThread(ctx, channel, platform, message, after))
    },
  }
}

function posted(row: MessageRow): Posted {
  return { messageId: row.id, permalink: row.permalink }
}

async function storePost(ctx: Context, platform: Platform, post: NewPost): Promise<MessageRow | null> {
  const authorName = (await ctx.settings.read()).agent.name
  const written = await ctx.db.transaction().execute(async (tx) => {
    const row = await writePost(tx, { ...post, authorName, delivery: 'sending', now: ctx.now() })
    if (row) await insertParts(tx, row.id, await textsOf(tx, platform, row))
    return row
  })
  return written ?? findMessageByKey(ctx.db, post.channelId, post.key)
}

/** Beyond this many messages nobody reads them one by one. */
const maxParts = 4

/**
 * Where files are taken, large tables come as files, and of a text that is too long the beginning, with the whole as a file; else in as
 * many messages as it takes.
 */
function divide({ id, text }: MessageRow, { maxLength, takesFiles }: Platform): NewPart[] {
  const asMessages = (of: string) => splitMarkdown(of, maxLength).map((one) => ({ text: one, file: null }))
  if (!takesFiles) return asMessages(text)
  const mark = id.slice(-8)
  const { text: rest, files } = takeOutTables(text, (number) => `table-${number}-${mark}.csv`)
  const messages = asMessages(rest)
  const isLong = messages.length > maxParts
  return [
    ...(isLong ? [...asMessages(text).slice(0, 1), { text, file: `reply-${mark}.md` }] : messages),
    ...files.map((file) => ({ text: file.text, file: file.name })),
  ]
}

/** A card is one message. When a text becomes shorter, no part of the longer one may stay. */
async function textsOf(tx: Db, platform: Platform, row: MessageRow): Promise<NewPart[]> {
  const parts = row.card ? [{ text: row.text, file: null }] : divide(row, platform)
  const before = (await listParts(tx, row.id)).length
  return [...parts, ...Array<NewPart>(Math.max(0, before - parts.length)).fill({ text: '…', file: null })]
}

function cancelsOf({ hasCancel, runId }: MessageRow): MessageRow['runId'] {
  return hasCancel ? runId : null
}

/** Edits the posted message. If it changed again meanwhile, the latest content is shown last. False if the platform refuses. */
async function updatePosted(
  ctx: Context,
  workspace: WorkspaceRow,
  channel: ChannelRow & { externalId: string },
  platform: Platform,
  row: MessageRow,
): Promise<boolean> {
  refuseWhilePaused(workspace)
  let isRefused = false
  const thread = await findExternalThread(ctx.db, row.threadId)
  try {
    for (let shown = row; ; ) {
      const parts = await listParts(ctx.db, row.id)
      for (const { part, text, file, externalId } of parts) {
        if (externalId === null) continue
        const outgoing = {
          channel: channel.externalId,
          thread,
          text,
          card: shown.card,
          mentions: shown.mentions,
          isRated: shown.isReply && part === ratedOf(parts)?.part,
          cancels: cancelsOf(shown),
          file,
          key: `${row.id}/${part}`,
        }
        await platform.edit(outgoing, externalId).catch((error: unknown) => {
          if (!isRefusal(error)) throw error
          isRefused = true
          // The message was deleted, or is too old: a retry would be refused too. The other parts are edited all the same.
          ctx.log.warn({ err: error, workspaceId: workspace.id, messageId: row.id }, 'chat.edit_refused')
        })
      }
      const now = await findMessage(ctx.db, row.id)
      if (!now || now.seq === shown.seq) break
      shown = now
    }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    throw asChatError(error, await recordFault(ctx, workspace, error))
  }
  // A text that became longer has parts that were never sent.
  if (row.delivery === 'sent') await sendParts(ctx, workspace, platform, envelopeOf(row, channel, thread))
  return !isRefused
}

function envelopeOf(row: MessageRow, channel: { externalId: string }, thread: string | null) {
  return {
    messageId: row.id,
    channel: channel.externalId,
    thread,
    card: row.card,
    mentions: row.mentions,
    isReply: row.isReply,
    cancels: cancelsOf(row),
  }
}

async function findExternalThread(db: Db, threadId: string | null): Promise<string | null> {
  if (threadId === null) return null
  const thread = await findRoot(db, threadId)
  if (!thread) return null
  if (thread.externalId === null && thread.delivery === 'sending') {
    throw new ChatError('unavailable', 'The first message of the thread is not posted yet.', {
      retryAfter: 2000,
    })
  }
  // If it is not certain that it is there, what follows is posted below its first part, or at the top level.
  return thread.externalId ?? (await listParts(db, thread.id))[0]?.externalId ?? null
}
