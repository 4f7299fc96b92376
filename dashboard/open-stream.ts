import { apiUrl } from './api.ts'

type Handlers = {
  /** Handlers by event name; the data is JSON. */
  events: Record<string, (body: unknown) => void>
  onLost?: () => void
  /** The connection was lost and is back: events in between were missed. */
  onReturn: () => void
  /** The server refuses the stream, at least for now. */
  onRefused?: () => void
}

const retryMs = 3000

/**
 * Server-sent events for as long as the page is visible. A browser reconnects by itself when the connection breaks, but gives up
 * when the answer is an error, as while the server restarts. It also allows few connections for all tabs together, so a hidden
 * tab closes its own.
 */
export function openStream(
  path: () => string,
  { events, onLost, onReturn, onRefused }: Handlers,
): () => void {
  let stream: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let lost = false

  function open(): void {
    const opened = new EventSource(apiUrl(path()))
    stream = opened
    for (const [name, act] of Object.entries(events)) {
      opened.addEventListener(name, (event: MessageEvent<string>) => act(JSON.parse(event.data)))
    }
    opened.addEventListener('open', () => {
      if (lost) onReturn()
      lost = false
    })
    opened.addEventListener('error', () => {
      lost = true
      onLost?.()
      if (opened.readyState !== EventSource.CLOSED) return
      onRefused?.()
      timer = setTimeout(open, retryMs)
    })
  }

  function close(): void {
    clearTimeout(timer)
    stream?.close()
  }

  function look(): void {
    close()
    lost = true
    if (!document.hidden) open()
  }

  if (!document.hidden) open()
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    close()
  }
}
