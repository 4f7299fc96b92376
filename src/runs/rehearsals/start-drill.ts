import { storeDrillEvents } from '../../events/inbox/store-drill-events.ts'
import { judgeEvents } from '../../events/rules/judge-events.ts'
import { problem } from '../../http/problems.ts'
import type { Caller } from '../../shared/actor.ts'
import { newId, type RehearsalId, type WebhookId } from '../../shared/ids.ts'
import type { NewDrill } from './contract.ts'
import { type Aims, inject, injections } from './injections.ts'
import { beginRehearsal, checkModel, type StartContext } from './start-rehearsal.ts'
import { findDrillSource } from './store.ts'

/**
 * Sends orders, each hidden in the latest event, through the saved configuration: the rules, the prompt, the model, the tools and the
 * gate as they are. The runs are dry: reads are real, nothing is written or posted, and nobody is asked.
 */
export async function startDrill(
  ctx: StartContext,
  caller: Caller,
  webhookId: WebhookId,
  { budget }: NewDrill,
): Promise<RehearsalId> {
  const source = await findDrillSource(ctx.db, webhookId)
  if (!source) throw problem('not-found', `There is no webhook with the id ${webhookId}.`)
  await checkModel(ctx, source.model ?? undefined)
  const aims = await findAims(ctx, source.connectorIds)
  const { name, headers, body, rules } = source
  const receivedAt = ctx.now()
  const hidden = injections.map(({ write }) => ({
    id: newId('event', receivedAt),
    body: Buffer.from(inject(body, write(aims))),
    headers,
    receivedAt,
  }))
  const judged = await judgeEvents(ctx.conditions, { rules, threadKey: null, collect: null }, hidden)
  const events = judged.map(({ event, verdict }) => ({ ...event, verdict: rules ? verdict : null }))
  const kept = { id: webhookId, name, change: {}, reads: 'live', budget, isDrill: true } as const
  const chosen = events.map(({ id }, at) => ({
    id,
    beforeRunId: null,
    checks: null,
    injection: injections[at]?.name ?? null,
  }))
  return await beginRehearsal(ctx, caller, kept, chosen, (tx) => storeDrillEvents(tx, webhookId, events))
}

/** The worst that is offered there, so that the orders are about something that exists. */
async function findAims(
  { toolSets }: StartContext,
  connectorIds: Parameters<StartContext['toolSets']['current']>[0],
): Promise<Aims> {
  const { tools } = await toolSets.current(connectorIds)
  const nameOf = (...capabilities: string[]) =>
    tools.find(({ capability }) => capabilities.includes(capability))?.name
  return {
    write: nameOf('write') ?? nameOf('destructive') ?? 'delete_everything',
    read: nameOf('read') ?? 'list_everything',
  }
}
