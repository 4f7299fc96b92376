import type { Db } from '../../platform/db/database.ts'
import type { EventStreams } from '../../platform/http-server/event-streams.ts'
import type { Actor } from '../../shared/actor.ts'
import type { ChannelId } from '../../shared/ids.ts'
import type { Authentication } from '../../shared/ports/authentication.ts'
import { renderMessage } from '../messages/render-message.ts'
import type { ChannelFeed, FeedEvent } from './channel-feed.ts'
import { isOpenTo } from './manage-channels.ts'
import { findChannel } from './store.ts'

type Context = {
  db: Db
  publicUrl: string
  live: { streams: EventStreams; channels: ChannelFeed }
  authentication: Authentication
}

type Reader = { raw: Request; source: string; actor: Actor }

/** GET /channels/{id}/stream. A message's event id is its number in the channel, so a client resumes without a gap. */
export function streamChannel(
  ctx: Context,
  id: ChannelId,
  reader: Reader,
  after: string | undefined,
): Response {
  return ctx.live.streams.open({
    reader: reader.actor.id,
    async mayListen() {
      const actor = await ctx.authentication.findActor(reader.raw, reader.source)
      return actor !== null && isOpenTo(actor, await findChannel(ctx.db, id))
    },
    start: (send, end, ended) =>
      ctx.live.channels.follow(
        id,
        lastSeen(reader.raw.headers.get('last-event-id') ?? after),
        (event) => (event.kind === 'closed' ? end() : send(frame(ctx, id, event))),
        ended,
      ),
  })
}

function frame(ctx: Context, channelId: ChannelId, event: Exclude<FeedEvent, { kind: 'closed' }>) {
  switch (event.kind) {
    case 'message':
      return {
        name: event.created ? 'message.created' : 'message.updated',
        id: event.row.seq,
        body: renderMessage(ctx, event.row),
      }
    case 'working':
      return {
        name: 'agent.working',
        body: { channelId, threadId: event.threadId, note: event.note, runId: event.runId ?? null },
      }
    case 'typing':
      return { name: 'user.typing', body: { channelId, threadId: event.threadId, name: event.name } }
    default:
      throw new Error(`Unhandled event ${event satisfies never}`)
  }
}

/** Browsers send the header when they reconnect. */
function lastSeen(given: string | undefined): number | null {
  return given !== undefined && /^\d{1,9}$/.test(given) ? Number(given) : null
}
