import type { JobQueue } from '../../../jobs.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { WorkspaceId } from '../../../shared/ids.ts'
import { findExternalChannel, moveChannel, storeChannels } from '../../channels/store.ts'
import type { InboundEvent, InboundThumb, Received } from '../../platforms/platform.ts'
import { listKnownIds } from '../../store.ts'
import { findExternalWatch } from '../../watches/store.ts'
import { recordEvent } from '../../workspaces/store.ts'
import { isPosting } from '../outbound/store.ts'
import { insertInbound } from './store.ts'

type Context = { queue: JobQueue; now: () => Date }

/** Stores the event and enqueues the job that reads it in one transaction; a repeated delivery does neither. */
export async function storeEvents(
  ctx: Context,
  tx: Db,
  workspaceId: WorkspaceId,
  { events = [], channels = [], moved }: Received,
): Promise<void> {
  await recordEvent(tx, workspaceId)
  if (moved) await moveChannel(tx, workspaceId, moved)
  await storeChannels(tx, workspaceId, channels, ctx.now())
  for (const event of events) {
    // What apps say is not kept unless somebody wants it read.
    if (
      event.kind === 'message' &&
      event.isApp &&
      !(await findExternalWatch(tx, workspaceId, event.channel.externalId))
    )
      continue
    const startAfter = event.kind === 'thumb' ? await readThumbAfter(tx, workspaceId, event) : 0
    if (startAfter === null) continue
    const threadKey = threadKeyOf(event)
    if (await insertInbound(tx, workspaceId, threadKey, event)) {
      await ctx.queue.send(tx, 'chat.inbound', { workspaceId, threadKey }, { startAfter })
    }
  }
}

/** By then the platform has said which id a message has that it is being sent. */
const postedMs = 5000

/** Null if it is not to one of our messages: most reactions are to what other people say. */
async function readThumbAfter(
  tx: Db,
  workspaceId: WorkspaceId,
  { channel, externalId }: InboundThumb,
): Promise<number | null> {
  const channelId = await findExternalChannel(tx, workspaceId, channel.externalId)
  if (channelId === null) return null
  // In this order: an id that is stored in between is known.
  const mayBePosting = await isPosting(tx, channelId)
  if ((await listKnownIds(tx, channelId, [externalId])).size > 0) return 0
  return mayBePosting ? postedMs : null
}

/** What must be read in order: the messages of one thread. A top-level message begins one. */
function threadKeyOf(event: InboundEvent): string {
  if (event.kind === 'click') return event.key
  // Of one person about one message, whatever else happens in its thread.
  if (event.kind === 'thumb')
    return `thumb ${event.channel.externalId}:${event.externalId}:${event.sender.id}`
  return event.order ?? `${event.channel.externalId}:${event.thread ?? event.externalId}`
}
