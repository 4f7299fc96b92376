import type { JsonSocket } from './open-json-socket.ts'

type Intervals = { firstMs: number; everyMs: number }

/** A connection can be dead without being closed: if no answer comes between two heartbeats, we close it. */
export function startHeartbeat() {
  let isAnswered = true
  let isSilent = false
  let timer: NodeJS.Timeout | undefined
  return {
    beat(socket: JsonSocket, { firstMs, everyMs }: Intervals, send: () => void): void {
      const again = () => {
        isSilent = !isAnswered
        if (isSilent) return socket.close()
        isAnswered = false
        send()
        timer = setTimeout(again, everyMs)
      }
      timer = setTimeout(again, firstMs)
    },
    noteAnswer(): void {
      isAnswered = true
    },
    isSilent: () => isSilent,
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
