import type { Role } from '../actor.ts'
import type { CallableTool } from '../connectors/callable-tool.ts'
import { type Decision, decidePolicy, type PolicyQuestion } from './decide-policy.ts'
import type { Requester } from './requester.ts'

export type RightsContext = {
  /** The role of a person or a program at this moment; null for one that may not come in any more. */
  findRole(who: { kind: 'user' | 'api-key'; id: string }): Promise<Role | null>
}

/**
 * The policy, by the rights of this moment: a run may wait for days, and must not act by rights that were taken away since. A read that
 * runs for everybody asks for none.
 */
export async function decideNow(
  ctx: RightsContext,
  { requester, ceiling }: Pick<PolicyQuestion, 'requester' | 'ceiling'>,
  { capability, permission }: Pick<CallableTool, 'capability' | 'permission'>,
): Promise<Decision> {
  const isForEverybody = capability === 'read' && permission === 'auto'
  const now = isForEverybody ? requester : await asOfNow(ctx, requester)
  if (now) return decidePolicy({ requester: now, ceiling, capability, permission })
  return {
    kind: 'refuse',
    reason: `${requester.name}, who asked for this, has no access to Bellhop any more.`,
  }
}

async function asOfNow(ctx: RightsContext, requester: Requester): Promise<Requester | null> {
  if (requester.kind === 'webhook' || requester.kind === 'guest') return requester
  const role = await ctx.findRole(requester)
  return role && { ...requester, isAdmin: role === 'admin' }
}
