import { apiUrl } from './api.ts'

type Handlers = {
  /** By the name of the event; the data is JSON. */
  events: Record<string, (body: unknown) => void>
  onLost?: () => void
  /** The line was lost and is back: what came in between was missed. */
  onReturn: () => void
  /** The server does not want to be listened to, at least not now. */
  onRefused?: () => void
}

const retryMs = 3000

/**
 * Server-sent events that go on for as long as somebody looks at the page. A browser reconnects by itself when the line breaks, but
 * gives up when the answer is an error, as it is while the server restarts. It also has few lines for all tabs together, so
 * one that nobody sees gives its line back.
 */
export function openStream(path: string, { events, onLost, onReturn, onRefused }: Handlers): () => void {
  let stream: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let lost = false

  function open(): void {
    const opened = new EventSource(apiUrl(path))
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
