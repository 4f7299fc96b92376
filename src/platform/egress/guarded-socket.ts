import type { Socket } from 'node:net'
import { WebSocket } from 'undici'
import { type EgressError, findEgressError } from './egress-error.ts'
import { guardDispatcher } from './guard-dispatcher.ts'

export type GuardedSocket = {
  socket: WebSocket
  /** Without a word: the other side may be gone and would never answer to a closing frame. */
  destroy(): void
}

/** A WebSocket over a guarded connection of its own, undici's from the same copy. `onFault` hears why we did not let it be opened. */
export function guardedSocket(
  ctx: Parameters<typeof guardDispatcher>[0],
  { url, headers }: { url: string; headers: Record<string, string> },
  onFault: (fault: EgressError) => void,
): GuardedSocket {
  let connection: Socket | null = null
  const own = guardDispatcher(ctx, (made) => {
    connection = made
  })
  const socket = new WebSocket(url, { dispatcher: own.dispatcher, headers })
  socket.addEventListener('error', ({ error }) => {
    const fault = findEgressError(error)
    if (fault) onFault(fault)
  })
  return {
    socket,
    destroy() {
      connection?.destroy()
      void own.close()
    },
  }
}
