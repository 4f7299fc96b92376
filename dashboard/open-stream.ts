import { apiUrl } from './api.ts'

type Handlers = {
  /** By the name of the event; the data is JSON. */
  events: Record<string, (body: unknown) => void>
  /** The line was lost and is back: what came in between was missed. */
  onReturn: () => void
}

const retryMs = 3000

/**
 * Server-sent events that go on for as long as the page is open. A browser reconnects by itself when the line breaks, but
 * gives up when the answer is an error, as it is while the server restarts.
 */
export function openStream(path: string, { events, onReturn }: Handlers): () => void {
  let stream: EventSource
  let timer: ReturnType<typeof setTimeout> | undefined
  let lost = false
  const open = () => {
    stream = new EventSource(apiUrl(path))
    for (const [name, act] of Object.entries(events)) {
      stream.addEventListener(name, (event: MessageEvent<string>) => act(JSON.parse(event.data)))
    }
    stream.addEventListener('open', () => {
      if (lost) onReturn()
      lost = false
    })
    stream.addEventListener('error', () => {
      lost = true
      if (stream.readyState === EventSource.CLOSED) timer = setTimeout(open, retryMs)
    })
  }
  open()
  return () => {
    clearTimeout(timer)
    stream.close()
  }
}
