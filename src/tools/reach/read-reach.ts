import { sql } from 'kysely'
import { concerns } from '../../approvals/policies/match-policies.ts'
import type { Policy } from '../../approvals/policies/policy.ts'
import { listInForce } from '../../approvals/policies/store.ts'
import { findToolApprovers } from '../../approvals/tool-approvers.ts'
import type { CallableTool, Tools } from '../../connectors/call/callable-tool.ts'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import {
  type ChannelId,
  isScheduleId,
  isWatchId,
  type ScheduleId,
  type SourceId,
  type WebhookId,
  watchOf,
} from '../../shared/ids.ts'
import type { Reach } from '../contract.ts'
import type { LimitingPlace, RightsContext } from '../gate/decide-call.ts'
import { decidePolicy } from '../gate/decide-policy.ts'
import type { RunScope } from '../gate/narrow-scope.ts'
import type { Requester } from '../gate/requester.ts'

export type ReachContext = RightsContext & { tools: Pick<Tools, 'list'> }

/** Who asks at worst: whoever has the URL, the clock with a prompt that somebody wrote, or a member of the channel. */
export type ReachOf = { webhookId: WebhookId } | { scheduleId: ScheduleId } | { channelId: ChannelId }

/**
 * What the agent can be made to do there at worst, from the configuration alone: as if the model did whatever a sender wants. It asks
 * the same functions as the gate, so that what is shown is what would happen.
 */
export async function readReach(ctx: ReachContext, of: ReachOf): Promise<Reach> {
  const askers = await listAskers(ctx.db, of)
  const places: Place[] = []
  for (const { requester, place, channelId } of askers) {
    const scope = await ctx.rights.scopeOf(ctx.db, place)
    if (scope) places.push({ requester, channelId, scope })
  }
  if (places.length === 0) throw nothingThere()
  const tools = await ctx.tools.list()
  const shown: Reach['tools'] = []
  for (const tool of tools) {
    const usable = places.filter(({ scope }) => scope.connectorIds?.includes(tool.connectorId) ?? true)
    const outcomes = await Promise.all(usable.map((place) => reachOfTool(ctx.db, place, tool)))
    const [worstOne] = outcomes.toSorted(worstFirst)
    if (worstOne) shown.push(worstOne)
  }
  const readsAcross = places.every(({ scope }) => scope.readsAcross === 'one') ? 'one' : 'all'
  return { readsAcross, outOfScope: tools.length - shown.length, tools: shown.sort(worstFirst) }
}

type Place = { requester: Requester; channelId: ChannelId; scope: RunScope }

async function reachOfTool(
  db: Db,
  { requester, channelId, scope }: Place,
  tool: CallableTool,
): Promise<Reach['tools'][number]> {
  const decision = decidePolicy({ ...tool, requester, ceiling: scope.ceiling, crosses: false })
  const policies = decision.kind === 'refuse' ? [] : await listInForce(db, tool.toolId)
  const applying = policies.filter((policy) =>
    concerns(policy, {
      tool,
      input: null,
      requester,
      webhookId: requester.kind === 'webhook' ? requester.id : null,
      channelId,
    }),
  )
  const { approvalsNeeded } = await findToolApprovers(db, tool.toolId)
  return {
    toolId: tool.toolId,
    name: tool.name,
    connectorId: tool.connectorId,
    connector: tool.connectorName,
    capability: tool.capability,
    ...outcomeOf(decision, tool, applying),
    approvalsNeeded,
    policies: applying.map(({ id, name, then, state, cap }) => ({ id, name, then, state, cap })),
  }
}

function outcomeOf(
  decision: ReturnType<typeof decidePolicy>,
  { capability }: CallableTool,
  policies: readonly Policy[],
): Pick<Reach['tools'][number], 'outcome' | 'why'> {
  if (decision.kind === 'refuse') return { outcome: 'never', why: decision.reason }
  if (decision.kind === 'run') return { outcome: 'alone', why: null }
  if (decision.confirmInChannel) return { outcome: 'confirm', why: decision.reason }
  const automatic = policies.find(({ then, state }) => then === 'auto' && state === 'active')
  if (automatic && capability !== 'destructive')
    return {
      outcome: 'capped',
      why: `The policy “${automatic.name}” approves calls that it covers, up to its cap.`,
    }
  return { outcome: 'approve', why: decision.reason }
}

type Asker = { requester: Requester; place: LimitingPlace; channelId: ChannelId }

/** In a watched channel, whoever posts makes the agent work too. */
async function listAskers(db: Db, of: ReachOf): Promise<Asker[]> {
  if (!('channelId' in of)) {
    const asker = await findSourceAsker(db, 'webhookId' in of ? of.webhookId : of.scheduleId)
    return asker ? [asker] : []
  }
  const { channelId } = of
  const member = {
    requester: { kind: 'guest', id: 'member', name: 'a member' },
    place: of,
    channelId,
  } as const
  const watch = await findSourceAsker(db, watchOf(channelId))
  return watch ? [member, watch] : [member]
}

async function findSourceAsker(db: Db, id: SourceId): Promise<Asker | null> {
  const { rows } = await sql<{ name: string; channelId: ChannelId }>`
    select name, channel_id from event_sources where id = ${id} and state <> 'deleted'`.execute(db)
  const [row] = rows
  if (!row) return null
  const { name, channelId } = row
  return { requester: requesterOf(id, name), place: { sourceId: id }, channelId }
}

function requesterOf(id: SourceId, name: string): Requester {
  if (isScheduleId(id)) return { kind: 'schedule', id, name }
  return isWatchId(id) ? { kind: 'watch', id, name } : { kind: 'webhook', id, name }
}

const nothingThere = () => problem('not-found', 'There is no webhook, schedule or channel with this id.')

const worst = ['alone', 'capped', 'approve', 'confirm', 'never']
const harm = ['destructive', 'write', 'read']

/** What nobody is asked about first, and of that what does most. */
function worstFirst(one: Reach['tools'][number], other: Reach['tools'][number]): number {
  return (
    worst.indexOf(one.outcome) - worst.indexOf(other.outcome) ||
    harm.indexOf(one.capability) - harm.indexOf(other.capability) ||
    one.name.localeCompare(other.name)
  )
}
