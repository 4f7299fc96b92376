import { z } from 'zod'
import { nameFiles } from '../../text/name-files.ts'
import { attachmentShape, readAttachment } from '../../text/read-attachment.ts'
import type { Connection } from '../connection.ts'
import type { ThreadPage, ThreadQuestion } from '../platform.ts'
import type { ThreadMessage } from '../thread-message.ts'
import { callMattermost } from './call-mattermost.ts'
import { filesOf, postShape } from './read-mattermost-post.ts'

const shown = z.looseObject({
  from_bot: z.unknown().optional(),
  from_webhook: z.unknown().optional(),
  override_username: z.string().optional().catch(undefined),
  attachments: z.array(attachmentShape).nullish().catch(null),
})
const threadShape = z.looseObject({ posts: z.record(z.string(), postShape).default({}) })
type Post = z.output<typeof postShape>

/** The server gives the whole thread at once. */
export async function readMattermostThread(
  connection: Connection,
  { thread, after, before, limit }: ThreadQuestion,
  nameOf: (userId: string) => Promise<string | null>,
): Promise<ThreadPage> {
  const path = `posts/${encodeURIComponent(thread)}/thread`
  const { posts } = threadShape.parse(await callMattermost(connection, 'GET', path))
  const from = (after && posts[after]?.create_at) || 0
  const to = posts[before]?.create_at ?? Number.POSITIVE_INFINITY
  const all = Object.values(posts)
    .filter(({ id, create_at: at, type, delete_at: deleted }) => {
      const isWritten = deleted === 0 && (type === '' || type === 'slack_attachment')
      return isWritten && at > from && at <= to && id !== before
    })
    .toSorted((a, b) => a.create_at - b.create_at)
  const kept = [
    ...all.filter(({ id }) => id === thread),
    ...all.filter(({ id }) => id !== thread).slice(1 - limit),
  ]
  const messages: ThreadMessage[] = []
  for (const post of kept) messages.push(await readPost(connection, post, nameOf))
  return {
    messages,
    leftOut: all.length - kept.length,
    until: before in posts ? before : (all.at(-1)?.id ?? after),
  }
}

async function readPost(
  { settings }: Connection,
  post: Post,
  nameOf: (userId: string) => Promise<string | null>,
): Promise<ThreadMessage> {
  const props = shown.safeParse(post.props).data
  const isApp = Boolean(props?.from_bot || props?.from_webhook)
  const attached = (props?.attachments ?? []).map((one) => readAttachment(one, (text) => text))
  const name = props?.override_username || (await nameOf(post.user_id).catch(() => null))
  return {
    externalId: post.id,
    author: {
      id: post.user_id,
      name: name || post.user_id,
      kind: post.user_id === settings.botUserId ? 'us' : isApp ? 'app' : 'person',
    },
    text: nameFiles([post.message, ...attached].filter(Boolean).join('\n\n'), filesOf(post)),
    at: new Date(post.create_at).toISOString(),
  }
}
