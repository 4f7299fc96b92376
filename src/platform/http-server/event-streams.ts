type Send = (event: { name: string; id?: number; body: unknown }) => void

type StreamOptions = {
  /** Who reads it: each reader may have at most `maxPerReader` streams. */
  reader: string
  /**
   * Checked with every heartbeat and at `recheck`: an ended session must not keep reading. If the check itself fails, the stream
   * stays open.
   */
  mayListen(): Promise<boolean>
  /** Subscribes, and returns how to unsubscribe. After `end`, a reader that may still listen reconnects. */
  start(send: Send, end: () => void, ended: AbortSignal): Promise<() => void>
}

/** All server-sent event streams of the process. */
export type EventStreams = {
  open(options: StreamOptions): Response
  /** Somebody's rights changed: checks every listener again, now. */
  recheck(): void
  /** Ends all streams, which would otherwise keep the server from stopping. */
  end(): void
}

/** How much may wait for a slow reader; beyond that the stream ends, and the reader resumes where it was. */
const maxWaitingBytes = 2 * 1024 * 1024
const heartbeatMs = 15_000
/** More than the tabs that a person has open on all their machines. */
const maxPerReader = 32

type Opened = { reader: string; check(): Promise<void>; end(): void }

/** `refuse` is called when a reader has too many. */
export function openEventStreams(refuse: (most: number) => never): EventStreams {
  const opened = new Set<Opened>()
  return {
    open(options) {
      const held = [...opened].filter(({ reader }) => reader === options.reader)
      return held.length < maxPerReader ? openStream(options, opened) : refuse(maxPerReader)
    },
    recheck() {
      for (const stream of opened) void stream.check()
    },
    end() {
      for (const stream of opened) stream.end()
    },
  }
}

function openStream(options: StreamOptions, opened: Set<Opened>): Response {
  const text = new TextEncoder()
  const ended = new AbortController()
  let leave = () => {}

  const body = new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        const end = () => {
          if (ended.signal.aborted) return
          leave()
          controller.close()
        }
        const write = (frame: string) => {
          if (ended.signal.aborted) return
          controller.enqueue(text.encode(frame))
          if ((controller.desiredSize ?? 0) <= 0) end()
        }
        const check = async () => {
          if (!(await options.mayListen().catch(() => true))) end()
        }
        const heartbeat = setInterval(() => {
          write(': still here\n\n')
          void check()
        }, heartbeatMs)
        const stream = { reader: options.reader, check, end }
        opened.add(stream)
        let unsubscribe = () => {}
        leave = () => {
          ended.abort()
          clearInterval(heartbeat)
          opened.delete(stream)
          unsubscribe()
        }
        write('retry: 2000\n\n')
        try {
          unsubscribe = await options.start(
            ({ name, id, body }) =>
              write(
                `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(body)}\n\n`,
              ),
            end,
            ended.signal,
          )
          // The reader may have left while we subscribed.
          if (ended.signal.aborted) unsubscribe()
        } catch (error) {
          leave()
          controller.error(error)
        }
      },
      cancel() {
        leave()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxWaitingBytes }),
  )

  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // A buffering proxy would hold a message back until the next one.
      'x-accel-buffering': 'no',
    },
  })
}
