export type ServerEvent = { name: string; id: string | null; body: Record<string, unknown> }

export type EventReader = AsyncDisposable & {
  /** Resolves with the next event; comments are skipped. */
  next(): Promise<ServerEvent>
  /** The next event of this name; others on the way are dropped. */
  nextNamed(name: string): Promise<ServerEvent>
  /** True once the server has ended the stream. */
  ended(): Promise<boolean>
}

/** Reads a stream of server-sent events as a browser would. */
export async function readEvents(url: string, headers: Record<string, string>): Promise<EventReader> {
  const leaving = new AbortController()
  const response = await fetch(url, { headers, signal: leaving.signal })
  if (!response.ok || !response.body) throw new Error(`The stream answered ${response.status}.`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let buffer = ''

  async function readFrame(): Promise<string | null> {
    for (;;) {
      const end = buffer.indexOf('\n\n')
      if (end >= 0) {
        const frame = buffer.slice(0, end)
        buffer = buffer.slice(end + 2)
        return frame
      }
      const { done, value } = await reader.read()
      if (done) return null
      buffer += value
    }
  }

  async function next(): Promise<ServerEvent> {
    for (;;) {
      const frame = await readFrame()
      if (frame === null) throw new Error('The stream ended.')
      const fields = new Map(
        frame.split('\n').map((line) => [line.split(': ')[0], line.replace(/^\w+: /, '')]),
      )
      const data = fields.get('data')
      if (data === undefined) continue
      return { name: fields.get('event') ?? '', id: fields.get('id') ?? null, body: JSON.parse(data) }
    }
  }

  return {
    next,
    async nextNamed(name) {
      for (;;) {
        const event = await next()
        if (event.name === name) return event
      }
    },
    async ended() {
      while ((await readFrame()) !== null);
      return true
    },
    async [Symbol.asyncDispose]() {
      leaving.abort()
    },
  }
}
