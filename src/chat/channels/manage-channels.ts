import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { type Actor, type Caller, mayActAs } from '../../shared/actor.ts'
import { type ChannelId, newId } from '../../shared/ids.ts'
import type { RefuseMissingConnectors } from '../../shared/ports/connector-ids.ts'
import type { ChannelPatch } from '../contract.ts'
import { announce } from '../store.ts'
import { maySeePrivate } from '../visible-to.ts'
import { type ChangeWatchContext, changeWatch, endWatch } from '../watches/change-watch.ts'
import {
  type ChannelRow,
  type ChannelScope,
  findChannel,
  insertChannel,
  listSourcesOf,
  lockAndCheckLastChannel,
  removeChannel,
  renameChannel,
  scopeChannel,
} from './store.ts'

export type ChannelContext = ChangeWatchContext & {
  db: Db
  now: () => Date
  connectors: { refuseMissing: RefuseMissingConnectors }
}

const nameTaken = () => problem('name-taken', 'Another channel has this name. Choose another one.')
const missing = () => problem('not-found', 'There is no such channel.')

/** Answers "not found" to those who may not see it; direct conversations with the agent do not count as channels. */
export async function getChannel(
  db: Db,
  actor: Actor,
  id: string,
  options: { lock?: boolean } = {},
): Promise<ChannelRow> {
  const channel = await findChannel(db, id, options)
  if (!isOpenTo(actor, channel)) throw missing()
  return channel
}

export function isOpenTo(actor: Actor, channel: ChannelRow | null): channel is ChannelRow {
  return channel?.kind === 'channel' && (!channel.isPrivate || maySeePrivate(actor))
}

export async function createChannel(
  ctx: ChannelContext,
  caller: Caller,
  fields: Pick<ChannelRow, 'name' | 'connectorIds' | 'readsAcross'>,
): Promise<ChannelRow> {
  const id = newId('channel', ctx.now())
  await ctx.db.transaction().execute(async (tx) => {
    await ctx.connectors.refuseMissing(tx, fields.connectorIds)
    const created = { ...fields, id, createdBy: caller.actor.id, now: ctx.now() }
    if (!(await insertChannel(tx, created))) throw nameTaken()
    await ctx.audit(tx, { ...caller, action: 'channel.created', subject: id, detail: fields })
  })
  return getChannel(ctx.db, caller.actor, id)
}

export async function changeChannel(
  ctx: ChannelContext,
  caller: Caller,
  id: ChannelId,
  { name, connectorIds, readsAcross, threadContext, watch }: ChannelPatch,
): Promise<ChannelRow> {
  await ctx.db.transaction().execute(async (tx) => {
    const channel = await getChannel(tx, caller.actor, id, { lock: true })
    if (name !== undefined && name !== channel.name) await rename(ctx, tx, channel, name, caller)
    const scoped = {
      connectorIds: connectorIds === undefined ? channel.connectorIds : connectorIds,
      readsAcross: readsAcross ?? channel.readsAcross,
    }
    await scope(ctx, tx, channel, scoped, caller)
    if (threadContext !== undefined && threadContext !== channel.threadContext) {
      await setThreadContext(tx, id, threadContext)
      const detail = { from: channel.threadContext, to: threadContext }
      await ctx.audit(tx, { ...caller, action: 'channel.thread_context_changed', subject: id, detail })
    }
    if (watch !== undefined) await changeWatch(ctx, tx, { ...channel, ...scoped }, watch, caller)
  })
  return getChannel(ctx.db, caller.actor, id)
}

async function rename(
  ctx: ChannelContext,
  tx: Db,
  channel: ChannelRow,
  to: string,
  by: Caller,
): Promise<void> {
  const { id, name: from } = channel
  refuseOutside(channel)
  if (!(await renameChannel(tx, id, to))) throw nameTaken()
  await ctx.audit(tx, { ...by, action: 'channel.renamed', subject: id, detail: { from, to } })
}

async function scope(
  ctx: ChannelContext,
  tx: Db,
  { id, connectorIds, readsAcross }: ChannelRow,
  to: ChannelScope,
  by: Caller,
): Promise<void> {
  const from = { connectorIds, readsAcross }
  if (isDeepStrictEqual(from, to)) return
  if (readsAcross === 'one' && to.readsAcross === 'all' && !mayActAs(by.actor, 'admin'))
    throw problem('forbidden', 'Only an admin may let the runs in a channel read across connectors again.')
  await ctx.connectors.refuseMissing(tx, to.connectorIds, connectorIds)
  await scopeChannel(tx, id, to)
  await ctx.voidApprovals(tx, { channelId: id, list: to.connectorIds })
  await ctx.audit(tx, { ...by, action: 'channel.scoped', subject: id, detail: { from, to } })
}

export async function deleteChannel(ctx: ChannelContext, caller: Caller, id: ChannelId): Promise<void> {
  const channel = await getChannel(ctx.db, caller.actor, id)
  await ctx.db.transaction().execute(async (tx) => {
    if (channel.platform === 'built-in' && (await lockAndCheckLastChannel(tx, id))) {
      throw problem(
        'in-use',
        'The last channel cannot be removed: the calls of MCP clients are approved there.',
      )
    }
    // Locks the row first, so that a webhook that is given this channel at the same moment is seen below.
    if (!(await removeChannel(tx, id))) throw missing()
    const users = await listSourcesOf(tx, id)
    if (users.length > 0) {
      throw problem(
        'in-use',
        `These webhooks and schedules post to this channel: ${users.join(', ')}. Give them another channel first.`,
      )
    }
    await endWatch(ctx, tx, channel, caller)
    await ctx.voidApprovals(tx, { gone: id })
    await ctx.audit(tx, { ...caller, action: 'channel.deleted', subject: id, detail: { name: channel.name } })
  })
}

function refuseOutside(channel: ChannelRow): void {
  if (channel.platform === 'built-in') return
  throw problem('invalid-request', `This channel is in ${channel.workspaceName}. Rename it there.`)
}

async function setThreadContext(
  tx: Db,
  id: ChannelId,
  threadContext: ChannelRow['threadContext'],
): Promise<void> {
  await sql`update channels set thread_context = ${threadContext} where id = ${id}`.execute(tx)
  await announce(tx, { channelId: id })
}
