import type { Person } from '../../approvals/approval.ts'
import type { CallableTool } from '../../connectors/call/callable-tool.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Role } from '../../shared/actor.ts'
import type { ChannelId, RunId, SourceId, ToolCallId } from '../../shared/ids.ts'
import type { ReadsAcross } from '../../shared/scope.ts'
import { hasReadOthers } from '../store.ts'
import { type Decision, decidePolicy } from './decide-policy.ts'
import { narrowScope, type RunScope } from './narrow-scope.ts'
import { isSource, type Requester } from './requester.ts'

/** The place whose limits apply: a webhook or schedule, or the channel in which somebody asked. */
export type LimitingPlace = { sourceId: SourceId } | { channelId: ChannelId }

/** What may be done now, which may be less than when a run began; other slices know it. */
export type Rights = {
  /** The current role of a person or API key; null if they may not sign in any more. */
  roleOf(db: Db, who: { kind: 'user' | 'api-key'; id: string }): Promise<Role | null>
  /** What may be used there now; null once it is deleted. */
  scopeOf(db: Db, place: LimitingPlace): Promise<RunScope | null>
}

export type RightsContext = { db: Db; rights: Rights }

type Question = RunScope & {
  requester: Requester
  /** Null if no such place limits the run. */
  limitedBy: LimitingPlace | null
  /** The runs whose answers the model saw when it wrote the call: this one, and those of earlier turns. */
  conversation: readonly RunId[]
  /** The calls of the same step: their answers came later. */
  alongside: readonly ToolCallId[]
}

/**
 * The policy with current rights: a run may wait for days, and must not use rights that were taken away since. A read that needs
 * no approval does not depend on the requester's rights.
 */
export async function decideCall(
  ctx: RightsContext,
  asked: Question,
  { capability, permission, connectorId }: Pick<CallableTool, 'capability' | 'permission' | 'connectorId'>,
): Promise<Decision> {
  const crosses = async (readsAcross: ReadsAcross) =>
    readsAcross === 'one' && (await hasReadOthers(ctx.db, asked, connectorId))
  if (capability === 'read' && permission === 'auto')
    return decidePolicy({ ...asked, capability, permission, crosses: await crosses(asked.readsAcross) })
  const { name } = asked.requester
  const requester = await withCurrentRole(ctx, asked.requester)
  if (!requester) return refuse(`${name}, who asked for this, no longer has access to Bellhop.`)
  const now = asked.limitedBy ? await ctx.rights.scopeOf(ctx.db, asked.limitedBy) : asked
  if (!now && isSource(requester))
    return refuse(`The ${requester.kind} ${name}, which asked for this, was deleted.`)
  if (!now && asked.limitedBy && 'channelId' in asked.limitedBy)
    return refuse('The channel in which this was asked for was removed.')
  // In the thread of a deleted webhook or schedule, the rights it had still apply.
  const { ceiling, connectorIds, readsAcross } = narrowScope(asked, now ?? asked)
  if (connectorIds && !connectorIds.includes(connectorId)) {
    return refuse(
      'This connector may no longer be used here. An operator can add it to the list of the webhook, schedule or channel.',
    )
  }
  return decidePolicy({ requester, ceiling, capability, permission, crosses: await crosses(readsAcross) })
}

function refuse(reason: string): Decision {
  return { kind: 'refuse', reason }
}

async function withCurrentRole(ctx: RightsContext, requester: Requester): Promise<Requester | null> {
  if (isSource(requester) || requester.kind === 'guest') return requester
  const role = await ctx.rights.roleOf(ctx.db, requester)
  return role && { ...requester, isAdmin: role === 'admin' }
}

/** Whoever decides sees the role of who asked, and not only a name. */
export async function withRole(ctx: RightsContext, requester: Requester): Promise<Person> {
  if (isSource(requester) || requester.kind === 'guest') return requester
  const role = await ctx.rights.roleOf(ctx.db, requester)
  return role ? { ...requester, role } : requester
}
