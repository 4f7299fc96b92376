import type { Actor } from '../../actor.ts'
import type { ChannelId } from '../../ids.ts'
import { renderMessage } from '../render-message.ts'
import type { ChannelFeed, FeedEvent } from './channel-feed.ts'
import { openEventStream } from './open-event-stream.ts'

type Context = {
  publicUrl: string
  feed: ChannelFeed
  authenticate(request: Request, source: string): Promise<Actor | null>
}

type Reader = { raw: Request; source: string }

/** GET /channels/{id}/stream. A message's event id is its number in the channel, so a reader resumes without a gap. */
export function streamChannel(ctx: Context, channelId: ChannelId, reader: Reader): Response {
  return openEventStream(ctx, reader, (send) =>
    ctx.feed.follow(channelId, lastSeen(reader.raw), (event) => send(frame(ctx, channelId, event))),
  )
}

/** GET /stream. Carries no content: whoever hears that a channel changed may read it or not. */
export function streamAll(ctx: Context, actor: Actor, reader: Reader): Response {
  return openEventStream(ctx, reader, async (send) =>
    ctx.feed.followAll((announcement) => {
      if (announcement === null) return send({ name: 'channels.changed', body: {} })
      const { channelId, readBy, working, typing } = announcement
      if (working || typing || (readBy !== undefined && readBy !== actor.id)) return
      send({ name: 'channel.changed', body: { channelId } })
    }),
  )
}

function frame(ctx: Context, channelId: ChannelId, event: FeedEvent) {
  switch (event.kind) {
    case 'message':
      return {
        name: event.created ? 'message.created' : 'message.updated',
        id: event.row.seq,
        body: renderMessage(ctx, event.row),
      }
    case 'working':
      return { name: 'agent.working', body: { channelId, threadId: event.threadId, note: event.note } }
    case 'typing':
      return { name: 'user.typing', body: { channelId, threadId: event.threadId, name: event.name } }
    default:
      throw new Error(`Unhandled event ${event satisfies never}`)
  }
}

/** Browsers send the header when they reconnect; the query is for a first connection that continues a page. */
function lastSeen(request: Request): number | null {
  const given = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after')
  return given !== null && /^\d{1,9}$/.test(given) ? Number(given) : null
}
