import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import { resolvePointer } from '../../platform/json/resolve-pointer.ts'
import type { RequesterKind } from './contract.ts'
import type { Policy, PolicyMatch, PolicyQuestion } from './policy.ts'

/** What conditions may use. */
export const conditionNames = ['input', 'tool', 'requester', 'now'] as const

type Matched = {
  /** The first active policy that covers the call. */
  active: PolicyMatch | null
  /** The first one in shadow that does, if no active one comes before it. */
  shadow: PolicyMatch | null
  /** An active policy before the match could not be evaluated: nobody knows what it would have said. */
  fault: string | null
}

/**
 * First match wins. A policy covers a call only if its condition is true and everything it counts is there: what is absent or of
 * another type is no match, and a call is not automatic then.
 */
export async function matchPolicies(
  ctx: { conditions: Conditions; now: () => Date },
  policies: readonly Policy[],
  asked: PolicyQuestion,
): Promise<Matched> {
  const found: Matched = { active: null, shadow: null, fault: null }
  for (const policy of policies) {
    if (!concerns(policy, asked)) continue
    const answer = await evaluate(ctx, policy, asked)
    if (answer.fault !== null && policy.state === 'active')
      found.fault ??= `The policy “${policy.name}” could not be evaluated. ${answer.fault}`
    if (!answer.covers) continue
    if (policy.state === 'active') return { ...found, active: { policy, amount: answer.amount } }
    found.shadow ??= { policy, amount: answer.amount }
  }
  return found
}

/** Whether the policy is about this tool as it is now, this requester and this place. */
export function concerns(policy: Policy, { tool, requester, webhookId, channelId }: PolicyQuestion): boolean {
  const { requesters, webhookIds, channelIds } = policy.for
  return (
    policy.toolId === tool.toolId &&
    policy.toolVersion === tool.toolVersion &&
    policy.connectorVersion === tool.connectorVersion &&
    (requesters === null
      ? policy.then !== 'auto' || kindOf(requester) === 'person' || webhookIds !== null
      : requesters.includes(kindOf(requester))) &&
    (webhookIds === null || (webhookId !== null && webhookIds.includes(webhookId))) &&
    (channelIds === null || channelIds.includes(channelId))
  )
}

function kindOf({ kind }: { kind: string }): RequesterKind {
  return kind === 'webhook' || kind === 'schedule' || kind === 'watch' ? kind : 'person'
}

type Evaluated = { covers: boolean; amount: string | null; fault: string | null }

async function evaluate(
  { conditions, now }: { conditions: Conditions; now: () => Date },
  policy: Policy,
  { tool, input, requester }: PolicyQuestion,
): Promise<Evaluated> {
  const json = JSON.stringify(input ?? null)
  const no = (fault: string | null) => ({ covers: false, amount: null, fault })
  // A condition computes with 15 digits: a longer number could seem to be below a limit that it exceeds.
  if (/[\d.]{16}/.test(json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')))
    return no('The input has a number with more than 15 digits.')
  const subject = {
    json: { input: json },
    values: {
      tool: { name: tool.name, connector: tool.connectorName },
      requester: { kind: kindOf(requester), name: requester.name, role: requester.role ?? 'none' },
    },
    now: now().toISOString(),
  }
  const [answer] = await conditions.ask({ conditions: [policy.when], pointers: [] }, [subject])
  const { matched = null, faults = [] } = answer ?? {}
  if (faults[0]) return no(faults[0].says)
  if (matched === null) return no(null)
  const sum = policy.cap?.sum
  if (!sum) return { covers: true, amount: null, fault: null }
  const amount = resolvePointer(JSON.parse(json), sum.of.split('/').slice(1))
  if (typeof amount !== 'number' || amount < 0)
    return no(`The input has no amount at ${sum.of}, which the policy adds up.`)
  return { covers: true, amount: String(amount), fault: null }
}
