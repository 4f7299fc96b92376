import { z } from 'zod'
import { parseJson } from '../../../platform/json/parse-json.ts'
import type { SessionEnd, SessionHost } from '../../delivery/sockets/run-session.ts'
import { startHeartbeat } from '../../delivery/sockets/start-heartbeat.ts'
import { readThumb } from '../../thumbs/read-thumb.ts'
import { type Connection, credential } from '../connection.ts'
import type { InboundEvent, InboundThumb } from '../platform.ts'
import { unlessRefused } from '../platform-error.ts'
import { callMattermost, serverUrl } from './call-mattermost.ts'
import { listMattermostChannels } from './list-mattermost-channels.ts'
import { postShape, readMattermostPost } from './read-mattermost-post.ts'

const pingMs = 30_000
/** The server's clock may differ from ours, and a post may have been in transit. */
const overlapMs = 60_000
const longestGapMs = 24 * 60 * 60_000

const eventShape = z.looseObject({
  event: z.string(),
  seq: z.number(),
  data: z.looseObject({}),
  broadcast: z
    .looseObject({ channel_id: z.string().default('') })
    .optional()
    .catch(undefined),
})
const replyShape = z.looseObject({ status: z.string(), seq_reply: z.number().optional() })
const helloShape = z.looseObject({ connection_id: z.string() })
const postedShape = z.looseObject({
  post: z.string(),
  channel_type: z.string(),
  channel_display_name: z.string().default(''),
  sender_name: z.string().default(''),
})
const pageShape = z.looseObject({ posts: z.record(z.string(), postShape).default({}) })
/** `seq` is the next sequence number. */
const sessionShape = z.object({ connectionId: z.string(), seq: z.number() })
type MattermostSession = z.output<typeof sessionShape>

/**
 * Mattermost's WebSocket API. The server buffers what it could not send for a while and continues after the given number. If it
 * answers with a new connection id, or a number is skipped, something is missing and is fetched.
 */
export async function runMattermostSession(connection: Connection, host: SessionHost): Promise<SessionEnd> {
  // The WebSocket alone does not reveal an invalid token.
  await callMattermost(connection, 'GET', 'users/me')
  let session: MattermostSession | null = sessionShape.safeParse(host.session).data ?? null
  const token = credential(connection, 'botToken')
  let sent = 0
  using heartbeat = startHeartbeat()
  using socket = await host.open(
    addressOf(connection, session),
    (frame) => {
      if (replyShape.safeParse(frame).success) heartbeat.noteAnswer()
    },
    { authorization: `Bearer ${token}` },
  )
  const send = (action: string, data = {}) => socket.send({ seq: ++sent, action, data })
  send('authentication_challenge', { token })
  heartbeat.beat(socket, { firstMs: 0, everyMs: pingMs }, () => send('ping'))

  for await (const frame of socket.frames()) {
    const reply = replyShape.safeParse(frame).data
    if (reply) {
      if (reply.status !== 'OK') await callMattermost(connection, 'GET', 'users/me')
      else if (session) await host.store({}, session)
      continue
    }
    const event = eventShape.safeParse(frame).data
    if (!event) continue
    if (event.event === 'hello') {
      const { connection_id: connectionId } = helloShape.parse(event.data)
      if (connectionId !== session?.connectionId && host.seenUntil)
        await fetchMissed(connection, host.seenUntil, (events) => host.store({ events }, null))
      session = { connectionId, seq: event.seq + 1 }
      await host.store({}, session)
      continue
    }
    if (!session) continue
    if (event.seq !== session.seq) {
      await host.forgetSession()
      return { kind: 'again', why: 'Mattermost skipped a message.' }
    }
    session = { ...session, seq: event.seq + 1 }
    const said =
      event.event === 'posted' ? readPosted(connection, event.data) : readReaction(connection, event, session)
    if (said) await host.store({ events: [said] }, session)
  }
  const { code } = socket.ending()
  return {
    kind: 'again',
    why: heartbeat.isSilent()
      ? 'Mattermost stopped responding.'
      : `The connection to Mattermost ended (${code}).`,
  }
}

function addressOf(connection: Connection, session: MattermostSession | null): string {
  const url = new URL('api/v4/websocket', serverUrl(connection).replace(/^http/, 'ws'))
  if (session) {
    url.searchParams.set('connection_id', session.connectionId)
    url.searchParams.set('sequence_number', String(session.seq))
  }
  return url.href
}

function readPosted(connection: Connection, content: unknown): InboundEvent | null {
  const posted = postedShape.safeParse(content).data
  const post = posted && postShape.safeParse(parseJson(posted.post)).data
  if (!post) return null
  return readMattermostPost(connection, post, {
    channelType: posted.channel_type,
    channelName: posted.channel_display_name || null,
    senderName: posted.sender_name.replace(/^@/, '') || null,
  })
}

const reactionShape = z.looseObject({ user_id: z.string(), post_id: z.string(), emoji_name: z.string() })

/** Null for whatever rates nothing. A reaction has no id, so its number on this connection tells one from another. */
function readReaction(
  { settings }: Connection,
  { event, seq, data, broadcast }: z.output<typeof eventShape>,
  { connectionId }: MattermostSession,
): InboundThumb | null {
  if (event !== 'reaction_added' && event !== 'reaction_removed') return null
  const reaction = reactionShape.safeParse(parseJson(String(data.reaction))).data
  const thumb = reaction && readThumb(reaction.emoji_name)
  if (!thumb || !broadcast || reaction.user_id === settings.botUserId) return null
  return {
    kind: 'thumb',
    key: `reaction:${connectionId}:${seq}`,
    externalId: reaction.post_id,
    rating: { thumb },
    isWithdrawn: event === 'reaction_removed',
    sender: { id: reaction.user_id, name: null },
    channel: { externalId: broadcast.channel_id, name: null, kind: 'channel' },
    thread: null,
  }
}

/** What was posted since then, oldest first, in channels with newer posts. */
async function fetchMissed(
  connection: Connection,
  seenUntil: Date,
  store: (events: InboundEvent[]) => Promise<void>,
): Promise<void> {
  const since = Math.max(seenUntil.getTime() - overlapMs, Date.now() - longestGapMs)
  for (const { id, type, name, lastPostAt } of await listMattermostChannels(connection)) {
    if (lastPostAt.getTime() < since) continue
    const around = { channelType: type, channelName: name, senderName: null }
    const path = `channels/${id}/posts?since=${since}`
    const { posts } = pageShape.parse((await unlessRefused(callMattermost(connection, 'GET', path))) ?? {})
    const events = Object.values(posts)
      .filter(({ create_at: at }) => at >= since)
      .toSorted((a, b) => a.create_at - b.create_at)
      .map((post) => readMattermostPost(connection, post, around))
    const received = events.filter((event) => event !== null)
    if (received.length > 0) await store(received)
  }
}
