import type { Actor } from '../../actor.ts'
import type { ChannelFeed } from './channel-feed.ts'

type Context = {
  feed: ChannelFeed
  authenticate(request: Request, source: string): Promise<Actor | null>
}

type Send = (event: { name: string; id?: number; body: unknown }) => void

/** This many events may wait for a slow reader; then the stream ends, and the reader resumes where it was. */
const maxWaiting = 500
const heartbeatMs = 15_000

/**
 * Server-sent events. `start` subscribes and returns how to leave. The right to listen is checked again with every
 * heartbeat, so that an ended session does not go on reading.
 */
export function openEventStream(
  ctx: Context,
  { raw, source }: { raw: Request; source: string },
  start: (send: Send) => Promise<() => void>,
): Response {
  const text = new TextEncoder()
  let leave = () => {}

  const body = new ReadableStream<Uint8Array>(
    {
      async start(controller) {
        let open = true
        const end = () => {
          if (!open) return
          leave()
          controller.close()
        }
        const write = (frame: string) => {
          if (!open) return
          controller.enqueue(text.encode(frame))
          if ((controller.desiredSize ?? 0) <= 0) end()
        }
        const heartbeat = setInterval(async () => {
          write(': still here\n\n')
          const actor = await ctx.authenticate(raw, source).catch(() => undefined)
          if (actor === null) end()
        }, heartbeatMs)
        const forget = ctx.feed.onEnd(end)
        let unsubscribe = () => {}
        leave = () => {
          open = false
          clearInterval(heartbeat)
          forget()
          unsubscribe()
        }
        write('retry: 2000\n\n')
        try {
          unsubscribe = await start(({ name, id, body }) =>
            write(
              `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(body)}\n\n`,
            ),
          )
          // The reader may have gone while we subscribed.
          if (!open) unsubscribe()
        } catch (error) {
          leave()
          controller.error(error)
        }
      },
      cancel() {
        leave()
      },
    },
    new CountQueuingStrategy({ highWaterMark: maxWaiting }),
  )

  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Proxies that buffer would hold a message back until the next one.
      'x-accel-buffering': 'no',
    },
  })
}
