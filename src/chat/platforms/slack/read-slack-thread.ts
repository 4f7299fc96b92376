import { z } from 'zod'
import { agentMention } from '../../chat.ts'
import type { Connection } from '../connection.ts'
import type { ThreadPage, ThreadQuestion } from '../platform.ts'
import type { ThreadMessage } from '../thread-message.ts'
import { callSlack } from './call-slack.ts'
import { contentShape, readSlackContent } from './read-slack-content.ts'

const messageShape = contentShape.extend({
  ts: z.string(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  username: z.string().nullish(),
  subtype: z.string().nullish(),
  bot_profile: z.looseObject({ name: z.string().nullish() }).nullish().catch(null),
})
type SlackMessage = z.output<typeof messageShape>
const pageShape = z.looseObject({
  messages: z.array(messageShape).default([]),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
})

/** Everything else is Slack's own: who joined, what was deleted. */
const written = new Set(['bot_message', 'thread_broadcast', 'file_share', 'me_message'])
const pageSize = 200
const maxPages = 20
const timestamp = /^\d+\.\d+$/

/** Slack gives a thread from its beginning, so the newest messages of a long one are on its last page. */
export async function readSlackThread(
  connection: Connection,
  { channel, thread, after, before, limit }: ThreadQuestion,
  nameOf: (userId: string) => Promise<string | null>,
): Promise<ThreadPage> {
  const isAsker = timestamp.test(before)
  const range = { ...(after ? { oldest: after } : {}), ...(isAsker ? { latest: before } : {}) }
  const kept: SlackMessage[] = []
  let leftOut = 0
  let cursor: string | undefined
  for (let n = 0; n < maxPages; n++) {
    const asked = { channel, ts: thread, ...range, limit: pageSize, cursor }
    const page = pageShape.parse(await callSlack(connection, 'conversations.replies', asked))
    for (const message of page.messages) {
      const isInRange = (!isAsker || message.ts < before) && (!after || message.ts > after)
      if (!isInRange || (message.subtype && !written.has(message.subtype))) continue
      kept.push(message)
      if (kept.length > limit) {
        // The first message of the thread stays.
        kept.splice(kept[0]?.ts === thread ? 1 : 0, 1)
        leftOut++
      }
    }
    cursor = page.response_metadata?.next_cursor || undefined
    if (!cursor) break
  }
  const messages: ThreadMessage[] = []
  for (const message of kept) messages.push(await readMessage(connection, message, nameOf))
  return { messages, leftOut, until: isAsker ? before : (kept.at(-1)?.ts ?? after) }
}

async function readMessage(
  { settings }: Connection,
  message: SlackMessage,
  nameOf: (userId: string) => Promise<string | null>,
): Promise<ThreadMessage> {
  const { ts, user, bot_id: botId, username, bot_profile: profile } = message
  const isApp = Boolean(botId) || message.subtype === 'bot_message'
  const id = (isApp ? botId : user) ?? user ?? ''
  const name = isApp ? username || profile?.name : user && (await nameOf(user).catch(() => null))
  return {
    externalId: ts,
    author: {
      id,
      name: name || id || 'unknown',
      kind: user === settings.botUserId ? 'us' : isApp ? 'app' : 'person',
    },
    text: readSlackContent(message).replaceAll(
      new RegExp(`<?@${RegExp.escape(settings.botUserId ?? '')}>?`, 'g'),
      agentMention,
    ),
    at: new Date(Number(ts) * 1000).toISOString(),
  }
}
