import type { Socket } from 'node:net'
import { WebSocket } from 'undici'
import type { EgressError } from './egress-error.ts'
import { type GuardContext, guardDispatcher } from './guard-dispatcher.ts'

export type GuardedSocket = {
  socket: WebSocket
  /** Why it could not connect; the socket's own events do not tell. */
  fault(): EgressError | null
  /** Without a closing handshake: the other side may be gone and would never answer. */
  destroy(): void
}

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
  return {
    socket: new WebSocket(url, { dispatcher: own.dispatcher, headers }),
    fault: () => fault,
    destroy() {
      connection?.destroy()
      void own.close()
    },
  }
}
