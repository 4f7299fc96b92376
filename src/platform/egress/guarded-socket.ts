import { type Dispatcher, WebSocket } from 'undici'
import { findEgressError } from './egress-error.ts'

/**
 * A WebSocket over a guarded dispatcher, undici's own from the same copy. `onFault` hears why it could not be opened, where the
 * fault is ours to tell.
 */
export function guardedSocket(
  dispatcher: Dispatcher,
  { url, headers }: { url: string; headers: Record<string, string> },
  onFault: (fault: NonNullable<ReturnType<typeof findEgressError>>) => void,
): WebSocket {
  const socket = new WebSocket(url, { dispatcher, headers })
  socket.addEventListener('error', ({ error }) => {
    const fault = findEgressError(error)
    if (fault) onFault(fault)
  })
  return socket
}
