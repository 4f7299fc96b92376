import { z } from 'zod'
import type { SessionEnd, SessionHost } from '../../delivery/sockets/run-session.ts'
import { startHeartbeat } from '../../delivery/sockets/start-heartbeat.ts'
import type { Connection } from '../connection.ts'
import type { Received } from '../platform.ts'
import { callSlack } from './call-slack.ts'
import { fetchMissed } from './fetch-missed.ts'
import { readSlackCommand } from './read-slack-command.ts'
import { readSlackEvent, readSlackInteraction } from './read-slack-event.ts'

const pingMs = 30_000
/** There is nothing to resume: Slack forgets a connection when it ends. */
const session = { kind: 'socket-mode' }

const opened = z.looseObject({ url: z.string() })
const frameShape = z.looseObject({
  type: z.string(),
  /** Why Slack is about to close the connection. */
  reason: z.string().optional(),
  envelope_id: z.string().optional(),
  payload: z.unknown().optional(),
})
type Frame = z.output<typeof frameShape>

/**
 * Slack's Socket Mode. An envelope is acknowledged only after it is stored: Slack sends the others again. Slack replaces a connection
 * every few hours and says so before: then a second one is opened, and both are read until Slack closes the first.
 */
export async function runSlackSession(connection: Connection, host: SessionHost): Promise<SessionEnd> {
  using sockets = new DisposableStack()
  const over = Promise.withResolvers<SessionEnd>()
  let lines = 0
  let isCaughtUp = false
  /** Until the missed messages are stored, what arrives does not move the time up to which everything is. */
  const store = (received: Received) => host.store(received, isCaughtUp ? session : null)

  async function catchUp(): Promise<void> {
    if (host.seenUntil)
      await fetchMissed(connection, host, host.seenUntil, (events) => host.store({ events }, null))
    isCaughtUp = true
    await store({})
  }

  async function readLine(isFirst: boolean): Promise<void> {
    const { url } = opened.parse(await callSlack(connection, 'apps.connections.open', {}, 'appToken'))
    using heartbeat = startHeartbeat()
    const socket = sockets.use(await host.open(url, () => undefined))
    const noteAnswer = () => {
      heartbeat.noteAnswer()
      if (isCaughtUp) void store({}).catch(over.reject)
    }
    heartbeat.beat(socket, { firstMs: pingMs, everyMs: pingMs }, () => socket.ping(noteAnswer))
    for await (const raw of socket.frames()) {
      const frame = frameShape.safeParse(raw).data
      if (frame?.type === 'hello' && isFirst) void catchUp().catch(over.reject)
      if (frame?.type === 'disconnect') {
        if (frame.reason === 'link_disabled') over.resolve(switchedOff)
        else startLine(false)
      }
      if (!frame?.envelope_id) continue
      const received = readEnvelope(connection, frame)
      await store(received)
      const answer = received.command ? { text: await host.answerCommand(received.command) } : received.answer
      socket.send({ envelope_id: frame.envelope_id, ...(answer ? { payload: answer } : {}) })
      if (received.isRevoked) over.resolve(uninstalled)
    }
    const { code } = socket.ending()
    ending = heartbeat.isSilent() ? 'Slack stopped responding.' : `The connection to Slack ended (${code}).`
  }

  let ending = 'The connection to Slack ended.'
  /** The session is over when no line is left; one that cannot be replaced may still be read to its end. */
  function startLine(isFirst: boolean): void {
    lines++
    readLine(isFirst).then(
      () => --lines === 0 && over.resolve({ kind: 'again', why: ending }),
      (error: unknown) => --lines === 0 && over.reject(error),
    )
  }

  startLine(true)
  return await over.promise
}

const switchedOff: SessionEnd = {
  kind: 'refused',
  why: 'Socket Mode is switched off. Switch it on under Socket Mode at api.slack.com/apps.',
}
const uninstalled: SessionEnd = {
  kind: 'revoked',
  why: 'The app was removed, or its token was revoked.',
}

function readEnvelope(connection: Connection, { type, payload }: Frame): Received {
  switch (type) {
    case 'events_api':
      return readSlackEvent(connection, payload)
    case 'interactive':
      return readSlackInteraction(connection, payload)
    case 'slash_commands':
      return readSlackCommand(connection, payload)
    default:
      return {}
  }
}
