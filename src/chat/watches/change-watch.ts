import { isDeepStrictEqual } from 'node:util'
import { invalidField, problem } from '../../http/problems.ts'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import type { Db } from '../../platform/db/database.ts'
import { type Caller, mayActAs } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import { watchOf } from '../../shared/ids.ts'
import type { VoidApprovals } from '../../shared/ports/voided.ts'
import type { ChannelRow } from '../channels/store.ts'
import { announce } from '../store.ts'
import { type WatchFields, watchedPlatforms, watchVariables } from './contract.ts'
import { endWatches, saveWatch } from './store.ts'

export type ChangeWatchContext = {
  conditions: Conditions
  audit: Audit
  voidApprovals: VoidApprovals
  /** Events of a source that waited may start now. In the slice events. */
  events: { resume(tx: Db): Promise<void> }
}

/** In the transaction that changes the channel, which is locked. Null ends the watch. */
export async function changeWatch(
  ctx: ChangeWatchContext,
  tx: Db,
  channel: ChannelRow,
  asked: WatchFields | null,
  by: Caller,
): Promise<void> {
  const before = channel.watch
  if (asked === null) {
    if (before !== null) await endWatch(ctx, tx, channel, by)
    return
  }
  await refuseWrong(ctx, channel, asked, by)
  const paused = asked.paused ?? before?.paused ?? false
  const pauseReason = paused ? (before?.pauseReason ?? `${by.actor.name} paused it.`) : null
  const after = { ...asked, paused, pauseReason }
  if (isDeepStrictEqual(before, after)) return
  await saveWatch(tx, channel.id, after)
  const { ceiling } = after
  const scope = { ceiling, connectorIds: channel.connectorIds, readsAcross: channel.readsAcross }
  await ctx.voidApprovals(tx, { sourceId: watchOf(channel.id), scope })
  if (before?.paused && !paused) await ctx.events.resume(tx)
  await announce(tx, { channelId: channel.id })
  await ctx.audit(tx, { ...by, action: 'channel.watch_changed', subject: channel.id, detail: after })
}

async function refuseWrong(
  { conditions }: ChangeWatchContext,
  { platform, workspaceName, watch }: ChannelRow,
  asked: WatchFields,
  { actor }: Caller,
): Promise<void> {
  if (!watchedPlatforms.includes(platform))
    throw invalidField(
      '/watch',
      `${workspaceName} does not send every message to Bellhop, only those that mention the agent, so its channels cannot be watched.`,
    )
  if (asked.ceiling === 'destructive' && watch?.ceiling !== 'destructive' && !mayActAs(actor, 'admin'))
    throw problem('forbidden', 'Only an admin may set the ceiling to destructive.')
  const fault = asked.when === null ? null : await conditions.check(asked.when, watchVariables)
  if (fault) throw invalidField('/watch/when', `Character ${fault.at}: ${fault.says}`)
}

/** Also when its channel is deleted. */
export async function endWatch(
  ctx: Pick<ChangeWatchContext, 'audit' | 'voidApprovals'>,
  tx: Db,
  { id }: Pick<ChannelRow, 'id'>,
  by: Caller,
): Promise<void> {
  for (const watchId of await endWatches(tx, id)) {
    await ctx.voidApprovals(tx, { sourceId: watchId, scope: null })
    await announce(tx, { channelId: id })
    await ctx.audit(tx, { ...by, action: 'channel.watch_ended', subject: id })
  }
}
