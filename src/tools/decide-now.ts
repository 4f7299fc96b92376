import type { Role } from '../actor.ts'
import type { CallableTool } from '../connectors/callable-tool.ts'
import type { ChannelId, WebhookId } from '../ids.ts'
import { type Decision, decidePolicy } from './decide-policy.ts'
import { narrowScope, type RunScope } from './narrow-scope.ts'
import type { Requester } from './requester.ts'

/** Whose limits count: those of a webhook, or of the channel in which somebody asked. */
export type LimitingPlace = { webhookId: WebhookId } | { channelId: ChannelId }

export type RightsContext = {
  /** The role of a person or a program at this moment; null for one that may not come in any more. */
  findRole(who: { kind: 'user' | 'api-key'; id: string }): Promise<Role | null>
  /** What may be used there at this moment; null once it is deleted. */
  findScope(place: LimitingPlace): Promise<RunScope | null>
}

type Question = RunScope & {
  requester: Requester
  /** Null where somebody else answers for the run. */
  limitedBy: LimitingPlace | null
}

/**
 * The policy, by the rights of this moment: a run may wait for days, and must not act by rights that were taken away since. A read that
 * runs for everybody asks for none.
 */
export async function decideNow(
  ctx: RightsContext,
  asked: Question,
  { capability, permission, connectorId }: Pick<CallableTool, 'capability' | 'permission' | 'connectorId'>,
): Promise<Decision> {
  if (capability === 'read' && permission === 'auto')
    return decidePolicy({ ...asked, capability, permission })
  const { name } = asked.requester
  const requester = await asOfNow(ctx, asked.requester)
  if (!requester) return refuse(`${name}, who asked for this, has no access to Bellhop any more.`)
  const now = asked.limitedBy ? await ctx.findScope(asked.limitedBy) : asked
  if (!now && requester.kind === 'webhook')
    return refuse(`The webhook ${name}, which asked for this, was deleted.`)
  if (!now && asked.limitedBy && 'channelId' in asked.limitedBy)
    return refuse('The channel in which this was asked for was removed.')
  // In the thread of a deleted webhook, what it was allowed goes on to count.
  const { ceiling, connectorIds } = narrowScope(asked, now ?? asked)
  if (connectorIds && !connectorIds.includes(connectorId)) {
    return refuse(
      'This connector may not be used here any more. An operator can put it on the list of the webhook or channel.',
    )
  }
  return decidePolicy({ requester, ceiling, capability, permission })
}

function refuse(reason: string): Decision {
  return { kind: 'refuse', reason }
}

async function asOfNow(ctx: RightsContext, requester: Requester): Promise<Requester | null> {
  if (requester.kind === 'webhook' || requester.kind === 'guest') return requester
  const role = await ctx.findRole(requester)
  return role && { ...requester, isAdmin: role === 'admin' }
}
