import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { acceptSocket, type ServerSocket } from '../../support/accept-socket.ts'

export const appToken = 'xapp-1-planted-app-token'

type Envelope = { envelope_id: string; type: string; payload: unknown; accepts_response_payload: boolean }

/**
 * Slack's side of Socket Mode: a line is opened with a ticket that works once, greets with `hello`, and gets envelopes until each is
 * acknowledged. What was not acknowledged is sent again over the next line.
 */
export function serveSlackLines(origin: () => string) {
  const tickets = new Set<string>()
  const open: ServerSocket[] = []
  const waiting = new Map<string, Envelope>()
  const lines = {
    token: appToken,
    /** Open connections, the oldest first. */
    open,
    /** What was acknowledged, with the answer that came along. */
    acknowledged: new Map<string, Record<string, unknown>>(),
    opened: 0,
    /** The answer to apps.connections.open. */
    openTicket(authorization: string | undefined): Record<string, unknown> {
      if (authorization !== `Bearer ${lines.token}`) return { ok: false, error: 'invalid_auth' }
      const ticket = randomUUID()
      tickets.add(ticket)
      return { ok: true, url: `${origin().replace('http', 'ws')}/link/?ticket=${ticket}&app_id=A1` }
    },
    accept(request: IncomingMessage, socket: Duplex): void {
      const ticket = new URL(request.url ?? '/', origin()).searchParams.get('ticket') ?? ''
      if (!tickets.delete(ticket)) return void socket.destroy()
      const line = acceptSocket(request, socket)
      open.push(line)
      lines.opened++
      line.onClose(() => open.splice(open.indexOf(line), 1))
      line.onFrame((frame) => {
        const id = String(frame.envelope_id)
        if (waiting.delete(id)) lines.acknowledged.set(id, frame)
      })
      line.send({
        type: 'hello',
        num_connections: open.length,
        debug_info: { host: 'applink-1', build_number: 1, approximate_connection_time: 18060 },
        connection_info: { app_id: 'A1' },
      })
      if (!lines.isHolding) for (const envelope of waiting.values()) line.send(envelope)
    },
    /** Slack keeps what waits for itself, so that a test can send it in pieces. */
    isHolding: false,
    /** The newest line is cut after so many bytes of the envelope, which waits on. Returns how many bytes it has. */
    cutWithin: (id: string, bytes: number) => open.at(-1)?.cutWithin(waiting.get(id), bytes) ?? 0,
    /** Over the newest line, or the given one. */
    deliver(
      type: 'events_api' | 'interactive' | 'slash_commands',
      payload: unknown,
      line = open.at(-1),
    ): string {
      const id = randomUUID()
      const answerable = type !== 'events_api'
      waiting.set(id, { envelope_id: id, type, payload, accepts_response_payload: answerable })
      if (!lines.isHolding) line?.send(waiting.get(id))
      return id
    },
    /** Slack is about to replace the oldest line. */
    announceRefresh: () =>
      open[0]?.send({ type: 'disconnect', reason: 'warning', debug_info: { host: 'applink-1' } }),
  }
  return lines
}
