import type { WebSocket } from 'undici'
import type { Egress } from '../../../platform/egress/open-egress.ts'
import { parseJson } from '../../../platform/json/parse-json.ts'
import { PlatformError } from '../../platforms/platform-error.ts'

type Context = { egress: Pick<Egress, 'openSocket'> }

/** A WebSocket that carries JSON. Disposing it closes it. */
export type JsonSocket = Disposable & {
  send(frame: unknown): void
  /** A ping frame, for platforms without a heartbeat of their own. `answered` is called for every answer. */
  ping(answered: () => void): void
  /** In the order of arrival, until either side closes it. */
  frames(): AsyncIterable<unknown>
  close(): void
  /** The other side's close code and reason. */
  ending(): { code: number; reason: string }
}

/** Our own close code, which keeps the platform's session alive; 1000 would end it. */
const closingCode = 4000
const openingMs = 15_000
/** How long the other side may take to answer our close frame. */
const closingMs = 1000
/** With more unread frames than this the connection is closed; the next one resumes. */
const maxWaiting = 5000

type Options = {
  purpose: string
  signal: AbortSignal
  headers: Record<string, string>
  onFrame: (frame: unknown) => void
}

export async function openJsonSocket(
  ctx: Context,
  url: string,
  { purpose, signal, headers, onFrame }: Options,
): Promise<JsonSocket> {
  const { socket, fault, ping, destroy } = ctx.egress.openSocket(url, headers, purpose)
  const waiting: unknown[] = []
  let ending = { code: 1006, reason: '' }
  let isOpen = true
  let wake = () => {}
  let leaving: NodeJS.Timeout | undefined

  function end(): void {
    isOpen = false
    wake()
  }
  function close(): void {
    if (isOpen) {
      socket.close(closingCode)
      leaving = setTimeout(destroy, closingMs)
    }
    end()
  }
  signal.addEventListener('abort', close, { once: true })
  socket.addEventListener('message', ({ data }) => {
    const frame = typeof data === 'string' ? parseJson(data) : undefined
    if (!isOpen || frame === undefined) return
    onFrame(frame)
    waiting.push(frame)
    if (waiting.length > maxWaiting) close()
    wake()
  })
  socket.addEventListener('close', ({ code, reason }) => {
    ending = { code, reason }
    clearTimeout(leaving)
    signal.removeEventListener('abort', close)
    end()
    destroy()
  })

  try {
    await opened(socket)
  } catch (error) {
    destroy()
    const why = fault()
    throw why ? new PlatformError('down', why.message, { cause: why }) : error
  }
  return {
    send: (frame) => {
      if (isOpen) socket.send(JSON.stringify(frame))
    },
    ping: (answered) => {
      if (isOpen) ping(answered)
    },
    async *frames() {
      for (;;) {
        // Frames that still wait after we closed are dropped: they are sent again, or fetched.
        if (signal.aborted) return
        if (waiting.length > 0) yield waiting.shift()
        else if (isOpen) await new Promise<void>((resolve) => (wake = resolve))
        else return
      }
    },
    close,
    ending: () => ending,
    [Symbol.dispose]: close,
  }
}

async function opened(socket: WebSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = (why: string) => reject(new PlatformError('down', why))
  const timer = setTimeout(() => fail('The connection was not answered.'), openingMs)
  socket.addEventListener('open', () => resolve(), { once: true })
  socket.addEventListener('error', () => fail('The connection failed.'), { once: true })
  socket.addEventListener('close', () => fail('The connection was closed.'), { once: true })
  try {
    await promise
  } finally {
    clearTimeout(timer)
  }
}
