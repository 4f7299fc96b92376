import { checkPolicy } from '../../approvals/policies/save-policy.ts'
import { ruleVariables } from '../../events/rules/contract.ts'
import { judgeEvents } from '../../events/rules/judge-events.ts'
import { invalidField, problem } from '../../http/problems.ts'
import { hasPrice } from '../../models/prices.ts'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import type { Db } from '../../platform/db/database.ts'
import { chooseModel, chooseNamed } from '../../settings/choose-model.ts'
import type { Caller } from '../../shared/actor.ts'
import { newId, type RehearsalId, type SourceId } from '../../shared/ids.ts'
import type { RefuseMissingConnectors } from '../../shared/ports/connector-ids.ts'
import type { Change, NewRehearsal } from './contract.ts'
import type { RehearsalContext } from './rehearse-event.ts'
import {
  type ChosenEvent,
  chooseEvents,
  findSource,
  insertRehearsal,
  listBodies,
  type NewRow,
} from './store.ts'

export type StartContext = RehearsalContext & { connectors: { refuseMissing: RefuseMissingConnectors } }

/** Tries a change on past events, in the background. Nothing is saved, sent or posted. `note` is written in the same transaction. */
export async function startRehearsal(
  ctx: StartContext,
  caller: Caller,
  { target, change, events, reads, budget }: NewRehearsal,
  note?: (tx: Db, id: RehearsalId) => Promise<void>,
): Promise<RehearsalId> {
  const sourceId = ('webhookId' in target ? target.webhookId : target.scheduleId) as SourceId
  const source = await findSource(ctx.db, sourceId)
  if (!source)
    throw problem(
      'not-found',
      `There is no ${'webhookId' in target ? 'webhook' : 'schedule'} with the id ${sourceId}.`,
    )
  if (change.rules && !('webhookId' in target))
    throw invalidField('/change/rules', 'Only a webhook has rules.')
  if (change.connectorIds)
    await ctx.connectors.refuseMissing(ctx.db, change.connectorIds, change.connectorIds)
  await checkModel(ctx, change.model)
  await checkChange(ctx, change)
  const chosen = await choose(ctx, sourceId, events, change.rules !== undefined)
  if ('ids' in events) {
    const missing = events.ids.find((id) => !chosen.some((one) => one.id === id))
    if (missing)
      throw invalidField('/events/ids', `${missing} is no event of ${source.name}, or it was erased.`)
  }
  if (chosen.length === 0)
    throw invalidField(
      '/events',
      'cases' in events
        ? `${source.name} has no cases yet. Open one of its events and choose "Keep as a case".`
        : `${source.name} has no events${isFiltered(events) ? ' like these' : ' yet'} that could be replayed. ${isFiltered(events) ? 'Choose others.' : 'Test events do not count. Try again once it has handled others.'}`,
    )
  const { name } = source
  return await beginRehearsal(
    ctx,
    caller,
    { id: sourceId, name, change, reads, budget, isDrill: false },
    chosen,
    note,
  )
}

type Events = NewRehearsal['events']

const isFiltered = (events: Events) =>
  'last' in events && (events.when !== undefined || events.since !== undefined || events.until !== undefined)

/** So many are looked through for those that a condition wants. */
const mostCandidates = 2000

async function choose(
  ctx: StartContext,
  sourceId: SourceId,
  events: Events,
  withRuled: boolean,
): Promise<ChosenEvent[]> {
  if (!('last' in events) || events.when === undefined)
    return await chooseEvents(ctx.db, sourceId, events, withRuled)
  const { when, last } = events
  await refuseFault(ctx, '/events/when', when)
  const candidates = await chooseEvents(ctx.db, sourceId, { ...events, last: mostCandidates }, withRuled)
  return await filterEvents(ctx, candidates, { when, most: last })
}

/** A condition with a fault would be no match for every event, and the rehearsal would prove nothing. */
async function refuseFault({ conditions }: StartContext, pointer: string, when: string): Promise<void> {
  const fault = await conditions.check(when, ruleVariables)
  if (fault) throw invalidField(pointer, `Character ${fault.at}: ${fault.says}`)
}

async function checkChange(
  ctx: StartContext,
  { rules = [], policies = [], tools = {} }: Change,
): Promise<void> {
  for (const [index, { when }] of rules.entries()) await refuseFault(ctx, `/change/rules/${index}/when`, when)
  for (const [index, policy] of policies.entries())
    await checkPolicy(ctx, policy, `/change/policies/${index}`)
  for (const name of Object.keys(tools)) {
    if (!(await ctx.tools.find(name)))
      throw invalidField(
        '/change/tools',
        `There is no tool ${name} that is switched on. Use its name as the agent sees it.`,
      )
  }
}

type Kept = Omit<NewRow, 'id' | 'sourceId' | 'sourceName' | 'createdBy'> & { id: SourceId; name: string }

/** `store` is called in the same transaction, first: for events that do not exist yet, and for whoever starts it. */
export async function beginRehearsal(
  ctx: RehearsalContext,
  caller: Caller,
  { id: sourceId, name: sourceName, change, reads, budget, isDrill }: Kept,
  chosen: readonly ChosenEvent[],
  store?: (tx: Db, id: RehearsalId) => Promise<void>,
): Promise<RehearsalId> {
  const id = newId('rehearsal', ctx.now())
  const { kind, id: actorId, name } = caller.actor
  const createdBy = { kind, id: actorId, name }
  await ctx.db.transaction().execute(async (tx) => {
    await store?.(tx, id)
    await insertRehearsal(tx, { id, sourceId, sourceName, change, reads, budget, createdBy, isDrill }, chosen)
    await ctx.audit(tx, {
      ...caller,
      action: isDrill ? 'rehearsal.drill-started' : 'rehearsal.started',
      subject: sourceId,
      detail: {
        rehearsalId: id,
        events: chosen.length,
        budget,
        ...(isDrill ? {} : { changes: Object.keys(change) }),
      },
    })
  })
  // If they are lost, the sweep sends them.
  await ctx.queue.sendMany(
    ctx.db,
    'rehearsal.event',
    chosen.map((event) => ({ payload: { rehearsalId: id, eventId: event.id }, key: `${id} ${event.id}` })),
  )
  return id
}

/** A budget in money can be kept only if the price is known. */
export async function checkModel(
  ctx: RehearsalContext,
  draft: NewRehearsal['change']['model'],
  at = { model: '/change/model', budget: '/budget' },
): Promise<void> {
  if (draft && !(await chooseNamed(ctx, draft)))
    throw invalidField(
      at.model,
      `There is no account for ${draft.provider}. Choose the provider of Settings → Model, or offline.`,
    )
  const model = draft ?? (await chooseModel(ctx)).choice
  const { prices } = await ctx.settings.read()
  if (!hasPrice(model, prices))
    throw invalidField(
      at.budget,
      `The price of ${model.name} is not known, so no budget can be kept. Enter the price under Settings → Model, 0 if it costs nothing.`,
    )
}

/** Bodies are as large as senders make them. */
const atOnce = 20

/** Those for which the condition is true, the newest first, as many as wanted. One that cannot be evaluated is no match. */
async function filterEvents(
  { db, conditions }: { db: Db; conditions: Conditions },
  candidates: readonly ChosenEvent[],
  { when, most }: { when: string; most: number },
): Promise<ChosenEvent[]> {
  const settings = { rules: [{ when, then: 'run' as const }], threadKey: null, collect: null }
  const fitting: ChosenEvent[] = []
  for (let at = 0; at < candidates.length && fitting.length < most; at += atOnce) {
    const some = candidates.slice(at, at + atOnce)
    const events = await listBodies(
      db,
      some.map(({ id }) => id),
    )
    const judged = await judgeEvents(conditions, settings, events)
    const matching = new Set(judged.flatMap(({ event, verdict }) => (verdict.rule ? [event.id] : [])))
    fitting.push(...some.filter(({ id }) => matching.has(id)))
  }
  return fitting.slice(0, most)
}
