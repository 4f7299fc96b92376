import { z } from 'zod'
import { parseJson } from '../../platform/json/parse-json.ts'
import { type Connection, credential } from '../connection.ts'
import type { InboundEvent } from '../platform.ts'
import { unlessRefused } from '../platform-error.ts'
import type { Call, Ending } from '../standing/converse.ts'
import { startHeart } from '../standing/start-heart.ts'
import { callMattermost, serverUrl } from './call-mattermost.ts'
import { listMattermostChannels } from './list-mattermost-channels.ts'
import { postShape, readMattermostPost } from './read-mattermost-post.ts'

const pingMs = 30_000
/** The server's clock may differ from ours, and a post may have been in transit. */
const overlapMs = 60_000
const longestGapMs = 24 * 60 * 60_000

const eventShape = z.looseObject({ event: z.string(), seq: z.number(), data: z.looseObject({}) })
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
export async function converseWithMattermost(connection: Connection, call: Call): Promise<Ending> {
  // The WebSocket alone does not reveal an invalid token.
  await callMattermost(connection, 'GET', 'users/me')
  let session: MattermostSession | null = sessionShape.safeParse(call.session).data ?? null
  const token = credential(connection, 'botToken')
  let sent = 0
  using heart = startHeart()
  using line = await call.open(
    addressOf(connection, session),
    (frame) => {
      if (replyShape.safeParse(frame).success) heart.hearAnswer()
    },
    { authorization: `Bearer ${token}` },
  )
  const send = (action: string, data = {}) => line.send({ seq: ++sent, action, data })
  send('authentication_challenge', { token })
  heart.beat(line, { firstMs: 0, everyMs: pingMs }, () => send('ping'))

  for await (const frame of line.frames()) {
    const reply = replyShape.safeParse(frame).data
    if (reply) {
      if (reply.status !== 'OK') await callMattermost(connection, 'GET', 'users/me')
      else if (session) await call.keep({}, session)
      continue
    }
    const event = eventShape.safeParse(frame).data
    if (!event) continue
    if (event.event === 'hello') {
      const { connection_id: connectionId } = helloShape.parse(event.data)
      if (connectionId !== session?.connectionId && call.seenUntil)
        await fetchMissed(connection, call.seenUntil, (events) => call.keep({ events }, null))
      session = { connectionId, seq: event.seq + 1 }
      await call.keep({}, session)
      continue
    }
    if (!session) continue
    if (event.seq !== session.seq) {
      await call.forget()
      return { kind: 'again', why: 'Mattermost left something out.' }
    }
    session = { ...session, seq: event.seq + 1 }
    const said = event.event === 'posted' ? readPosted(connection, event.data) : null
    if (said) await call.keep({ events: [said] }, session)
  }
  const { code } = line.ending()
  return {
    kind: 'again',
    why: heart.isSilent()
      ? 'Mattermost did not answer any more.'
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

/** What was posted since then, oldest first, in channels with newer posts. */
async function fetchMissed(
  connection: Connection,
  seenUntil: Date,
  keep: (events: InboundEvent[]) => Promise<void>,
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
    const said = events.filter((event) => event !== null)
    if (said.length > 0) await keep(said)
  }
}
