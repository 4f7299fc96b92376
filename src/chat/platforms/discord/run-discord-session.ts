import { z } from 'zod'
import type { JsonSocket } from '../../delivery/sockets/open-json-socket.ts'
import type { SessionEnd, SessionHost } from '../../delivery/sockets/run-session.ts'
import { startHeartbeat } from '../../delivery/sockets/start-heartbeat.ts'
import { readThumb } from '../../thumbs/read-thumb.ts'
import { type Connection, credential } from '../connection.ts'
import type { InboundThumb } from '../platform.ts'
import { callDiscord } from './call-discord.ts'
import { fetchMissed } from './fetch-missed.ts'
import { nameOf, personShape } from './read-discord-content.ts'
import { messageShape, readDiscordMessage } from './read-discord-message.ts'
import { readPlace } from './read-place.ts'
import { guildShape, textChannels } from './text-channels.ts'

/** Servers and channels, messages and reactions in channels, direct messages, and the content of messages. */
const intents = (1 << 0) | (1 << 9) | (1 << 10) | (1 << 12) | (1 << 13) | (1 << 15)

const gateway = z.looseObject({
  url: z.string(),
  session_start_limit: z.looseObject({ remaining: z.number(), reset_after: z.number() }).optional(),
})
const hello = z.looseObject({ heartbeat_interval: z.number().min(1) })
const ready = z.looseObject({ session_id: z.string(), resume_gateway_url: z.string() })
const sessionShape = z.object({ id: z.string(), resumeUrl: z.string(), seq: z.number() })
type DiscordSession = z.output<typeof sessionShape>

/**
 * Discord's gateway, version 10. A sequence number is saved only after its event is stored: after a failure Discord sends the
 * rest again, and duplicates are recognised by id.
 */
export async function runDiscordSession(connection: Connection, host: SessionHost): Promise<SessionEnd> {
  let session: DiscordSession | null = sessionShape.safeParse(host.session).data ?? null
  const gateway = session ? { url: session.resumeUrl } : await findGateway(connection)
  if ('kind' in gateway) return gateway
  using heartbeat = startHeartbeat()
  let lastSeq = session?.seq ?? null
  const beat = () => socket.send({ op: op.heartbeat, d: lastSeq })
  using socket = await host.open(`${gateway.url.replace(/\/*$/, '/')}?v=10&encoding=json`, (raw) => {
    const frame = frameShape.safeParse(raw).data
    lastSeq = frame?.s ?? lastSeq
    if (frame?.op === op.heartbeatAck) heartbeat.noteAnswer()
  })

  for await (const raw of socket.frames()) {
    const frame = frameShape.parse(raw)
    switch (frame.op) {
      case op.hello: {
        const everyMs = hello.parse(frame.d).heartbeat_interval
        heartbeat.beat(socket, { firstMs: everyMs * Math.random(), everyMs }, beat)
        socket.send(session ? resume(connection, session) : identify(connection))
        break
      }
      case op.heartbeat:
        beat()
        break
      case op.heartbeatAck:
        if (session) await host.store({}, session)
        break
      case op.reconnect:
        return { kind: 'again', why: 'Discord asked for a new connection.' }
      case op.invalidSession:
        if (frame.d !== true) await host.forgetSession()
        // Discord asks for a pause of one to five seconds.
        return { kind: 'again', why: 'Discord has ended the session.', waitMs: 1000 + Math.random() * 4000 }
      case op.dispatch:
        session = await readDispatch(connection, host, session, frame)
        break
    }
  }
  return endingOf(socket, heartbeat.isSilent(), host)
}

async function readDispatch(
  connection: Connection,
  host: SessionHost,
  before: DiscordSession | null,
  { t: name, d: content, s: seq }: Frame,
): Promise<DiscordSession | null> {
  if (name === 'READY') {
    const { session_id: id, resume_gateway_url: resumeUrl } = ready.parse(content)
    const session = { id, resumeUrl, seq: seq ?? 0 }
    // The session is saved only once everything missed before it has been fetched.
    if (host.seenUntil) {
      const direct = await host.listDirect()
      await fetchMissed(connection, host.seenUntil, direct, (events) => host.store({ events }, null))
    }
    await host.store({}, session)
    return session
  }
  if (!before) return null
  const session = { ...before, seq: seq ?? before.seq }
  if (name === 'RESUMED') await host.store({}, session)
  if (name === 'MESSAGE_CREATE') {
    const message = messageShape.safeParse(content).data
    const event = message && (await readDiscordMessage(connection, message))
    if (event) await host.store({ events: [event] }, session)
  }
  if (name === 'MESSAGE_REACTION_ADD' || name === 'MESSAGE_REACTION_REMOVE') {
    const key = `reaction:${session.id}:${session.seq}`
    const event = await readReaction(connection, content, {
      key,
      isRemoved: name === 'MESSAGE_REACTION_REMOVE',
    })
    if (event) await host.store({ events: [event] }, session)
  }
  if (name === 'GUILD_CREATE') {
    const known = guildShape.safeParse(content).data
    if (known) await host.store({ channels: textChannels(known) }, session)
  }
  return session
}

async function findGateway(connection: Connection): Promise<{ url: string } | SessionEnd> {
  const { url, session_start_limit: limit } = gateway.parse(
    await callDiscord(connection, 'GET', 'gateway/bot'),
  )
  if (limit && limit.remaining < 1) {
    return { kind: 'again', why: 'Discord allows no more sessions today.', waitMs: limit.reset_after }
  }
  return { url }
}

function identify(connection: Connection) {
  const properties = { os: process.platform, browser: 'bellhop', device: 'bellhop' }
  return { op: op.identify, d: { token: credential(connection, 'botToken'), intents, properties } }
}

function resume(connection: Connection, { id, seq }: DiscordSession) {
  return { op: op.resume, d: { token: credential(connection, 'botToken'), session_id: id, seq } }
}

async function endingOf(socket: JsonSocket, isSilent: boolean, host: SessionHost): Promise<SessionEnd> {
  if (isSilent) return { kind: 'again', why: 'Discord stopped responding.' }
  const { code, reason } = socket.ending()
  switch (code) {
    case 4004:
      return { kind: 'revoked', why: 'Discord does not accept the bot token.' }
    case 4014:
      return {
        kind: 'refused',
        why: 'Discord does not let the bot read messages. Switch on the Message Content Intent on the page Bot of the Developer Portal.',
      }
    case 4010:
    case 4011:
    case 4012:
    case 4013:
      return { kind: 'refused', why: `Discord refuses the connection: ${reason || code}` }
    case 4007:
    case 4009:
      await host.forgetSession()
      return { kind: 'again', why: 'The session with Discord timed out.' }
    default:
      return { kind: 'again', why: `The connection to Discord ended (${code}).` }
  }
}

/** Discord's opcodes. */
const op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const

const frameShape = z.looseObject({
  op: z.number(),
  d: z.unknown().optional(),
  /** The sequence number of a dispatch. */
  s: z.number().nullish(),
  t: z.string().nullish(),
})
type Frame = z.output<typeof frameShape>

const reactionShape = z.looseObject({
  user_id: z.string(),
  channel_id: z.string(),
  message_id: z.string(),
  emoji: z.looseObject({ id: z.string().nullish(), name: z.string().nullish() }),
  /** Only in servers, and only when it is added. */
  member: z.looseObject({ user: personShape }).optional().catch(undefined),
})

/** Null for reactions that rate nothing. It has no id of its own, so `key` tells one from another. */
async function readReaction(
  connection: Connection,
  content: unknown,
  { key, isRemoved }: { key: string; isRemoved: boolean },
): Promise<InboundThumb | null> {
  const reaction = reactionShape.safeParse(content).data
  const thumb = reaction && !reaction.emoji.id && readThumb(reaction.emoji.name ?? '')
  if (!thumb || reaction.user_id === connection.settings.botUserId) return null
  const { channel, kind, thread } = await readPlace(connection, reaction.channel_id)
  return {
    kind: 'thumb',
    key,
    externalId: reaction.message_id,
    rating: { thumb },
    isWithdrawn: isRemoved,
    sender: { id: reaction.user_id, name: reaction.member ? nameOf(reaction.member.user) : null },
    channel: { externalId: channel, name: null, kind },
    thread,
  }
}
