import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { ping, WebSocket } from 'undici'
import type { EgressError } from './egress-error.ts'
import { type GuardContext, guardDispatcher } from './guard-dispatcher.ts'

export type GuardedSocket = {
  socket: WebSocket
  /** Why it could not connect; the socket's own events do not tell. */
  fault(): EgressError | null
  /** A ping frame. `answered` is called whenever the other side answers one. */
  ping(answered: () => void): void
  /** Without a closing handshake: the other side may be gone and would never answer. */
  destroy(): void
}

const pongs = 'undici:websocket:pong'

/** A WebSocket over its own guarded connection, from the same copy of undici. */
export function guardedSocket(
  ctx: GuardContext,
  { url, headers }: { url: string; headers: Record<string, string> },
  onFault: (fault: EgressError) => void,
): GuardedSocket {
  let connection: Socket | null = null
  let fault: EgressError | null = null
  const own = guardDispatcher(
    ctx,
    (made) => {
      connection = made
    },
    (met) => {
      fault = met
      onFault(met)
    },
  )
  const socket = new WebSocket(url, { dispatcher: own.dispatcher, headers })
  let heard: (() => void) | null = null
  // The socket itself has no event for it.
  const hear = (message: unknown) => {
    if (typeof message === 'object' && message && 'websocket' in message && message.websocket === socket)
      heard?.()
  }
  return {
    socket,
    fault: () => fault,
    ping(answered) {
      if (!heard) subscribe(pongs, hear)
      heard = answered
      ping(socket)
    },
    destroy() {
      unsubscribe(pongs, hear)
      connection?.destroy()
      void own.close()
    },
  }
}
