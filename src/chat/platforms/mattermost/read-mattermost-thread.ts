import { z } from 'zod'
import type { Connection } from '../connection.ts'
import type { ThreadPage, ThreadQuestion } from '../platform.ts'
import type { ThreadMessage } from '../thread-message.ts'
import { callMattermost } from './call-mattermost.ts'
import { isMade, isWritten, type Post, postShape, readPostContent } from './read-mattermost-post.ts'

const threadShape = z.looseObject({ posts: z.record(z.string(), postShape).default({}) })

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
    .filter((post) => {
      const { id, create_at: at, delete_at: deleted } = post
      return deleted === 0 && isWritten(post) && at > from && at <= to && id !== before
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
  const name = post.props?.override_username || (await nameOf(post.user_id).catch(() => null))
  return {
    externalId: post.id,
    author: {
      id: post.user_id,
      name: name || post.user_id,
      kind: post.user_id === settings.botUserId ? 'us' : isMade(post) ? 'app' : 'person',
    },
    text: readPostContent(post),
    at: new Date(post.create_at).toISOString(),
  }
}
