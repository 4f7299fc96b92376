import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../platform/db/database.ts'
import type { Role } from '../../shared/actor.ts'
import type { ChannelRow } from '../channels/store.ts'
import type { ThreadRead } from '../chat.ts'
import { findLinkedUser } from '../identities/store.ts'
import type { Platform, ThreadPage } from '../platforms/platform.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import type { ThreadMessage } from '../platforms/thread-message.ts'
import { findRoot, listKnownIds, type MessageRow } from '../store.ts'
import { isForeignRoot } from './foreign-root.ts'
import { findRepliesTo } from './store.ts'

type Context = { db: Db }

const maxMessages = 50
const maxTries = 3
/** Somebody waits for an answer, so a long pause that the platform asks for is not waited out. */
const longestPauseMs = 20_000

/** What others wrote before the message: in the thread, or in the one message that it answers. Null if there is nothing to read. */
export async function readForeignThread(
  ctx: Context,
  channel: ChannelRow & { externalId: string },
  platform: Platform,
  message: MessageRow,
  after: string | null,
): Promise<ThreadRead | null> {
  if (channel.threadContext === 'off') return null
  const answered = await findRepliesTo(ctx.db, message.id)
  if (answered) return complete(ctx, channel, { messages: [answered], leftOut: 0, until: null })
  const root = message.threadId && (await findRoot(ctx.db, message.threadId))
  if (!root || !isForeignRoot(root) || root.externalId === null || !platform.readThread) return null
  const asked = {
    channel: channel.externalId,
    thread: root.externalId,
    after,
    before: message.externalId ?? '',
    limit: maxMessages,
  }
  for (let tries = 1; ; tries++) {
    try {
      return await complete(ctx, channel, await platform.readThread(asked))
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      const waitMs = error.retryAfterMs ?? 500
      if (isLasting(error) || tries >= maxTries || waitMs > longestPauseMs)
        return { messages: [], leftOut: 0, until: after, problem: error.message }
      await pause(waitMs)
    }
  }
}

function isLasting({ kind }: PlatformError): boolean {
  return kind === 'refused' || kind === 'revoked'
}

/** Without what is a message of the conversation anyway, and with the roles of people who are linked. */
async function complete(
  { db }: Context,
  { id, workspaceId }: ChannelRow,
  page: ThreadPage,
): Promise<ThreadRead> {
  const known = await listKnownIds(
    db,
    id,
    page.messages.map(({ externalId }) => externalId),
  )
  const roles = new Map<string, Role | null>()
  const messages: ThreadRead['messages'] = []
  for (const message of page.messages) {
    if (known.has(message.externalId) || message.text.trim() === '') continue
    messages.push({ ...message, role: await roleOf(message) })
  }
  return { messages, leftOut: page.leftOut, until: page.until, problem: null }

  async function roleOf({ author }: ThreadMessage): Promise<Role | null> {
    if (author.kind !== 'person') return null
    const found = roles.get(author.id)
    if (found !== undefined) return found
    const role = (await findLinkedUser(db, workspaceId, author.id))?.role ?? null
    roles.set(author.id, role)
    return role
  }
}
