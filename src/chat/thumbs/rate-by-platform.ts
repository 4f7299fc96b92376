import type { Db } from '../../platform/db/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Actor } from '../../shared/actor.ts'
import type { Cache } from '../cache.ts'
import { findExternalChannel } from '../channels/store.ts'
import { isStranger } from '../delivery/inbound/is-stranger.ts'
import type { InboundThumb, Platform } from '../platforms/platform.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import { findMessageByExternalId } from '../store.ts'
import type { WorkspaceRow } from '../workspaces/store.ts'
import { rateReply, withdrawRating } from './rate-reply.ts'

type Context = { log: Log; publicUrl: string; chatCache: Cache }
type From = {
  workspace: WorkspaceRow
  platform: Platform
  sender: { id: string; name: string; user: Actor | null }
}

const askAgainMs = 10 * 60_000

/** Whoever the agent answers may rate what it answered. Returns how to ask why after a thumb down; null if there is nothing to ask. */
export async function rateByPlatform(
  ctx: Context,
  tx: Db,
  { workspace, platform, sender }: From,
  event: InboundThumb,
): Promise<(() => Promise<void>) | null> {
  const { user } = sender
  if (await isStranger(tx, workspace, user, event)) return null
  const channelId = await findExternalChannel(tx, workspace.id, event.channel.externalId)
  const message = channelId && (await findMessageByExternalId(tx, channelId, event.externalId))
  if (!message?.isReply || !message.runId) return null
  const { runId } = message
  const person = { id: user?.id ?? `${workspace.id}:${sender.id}`, name: sender.name }
  const { rating, isWithdrawn } = event
  if (isWithdrawn) await withdrawRating(tx, runId, person.id, rating.thumb)
  else await rateReply(tx, runId, person, rating)
  if (isWithdrawn || rating.thumb !== 'down') return null
  // Only people with an account can open it.
  const link = user ? `${ctx.publicUrl}/runs/${runId}?rate=down` : null
  return async () => {
    try {
      if (rating.reason) await platform.whisper(event, 'Thanks. The reason is kept with the reply.')
      else if (platform.askWhy) await platform.askWhy(event, link)
      else if (link)
        await ctx.chatCache.getOrFetch(`why ${runId} ${person.id}`, askAgainMs, () =>
          platform.whisper(event, `What was wrong with this reply? Say why: ${link}`),
        )
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      ctx.log.warn({ err: error, workspaceId: workspace.id }, 'chat.hint_not_shown')
    }
  }
}
