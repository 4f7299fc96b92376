import type { Caller } from '../../actor.ts'
import type { Audit } from '../../audit.ts'
import type { Events } from '../../events.ts'
import type { JobQueue } from '../../jobs.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import type { SettingsPatch } from '../contract.ts'
import type { PriceTable } from '../models/prices.ts'
import { listAliveRuns } from '../store/run-rows.ts'
import { mergeModel, refuseModelAddress } from './merge-model.ts'
import { readSettings, type Settings } from './open-settings.ts'
import { type GroupName, lockGroups, removeGroup, writeGroup } from './store.ts'

type Context = {
  db: Db
  queue: JobQueue
  vault: Vault
  egress: Egress
  audit: Audit
  settings: Settings
  events: Pick<Events, 'sayWaiting'>
}

/** A merge patch over the groups: absent fields keep their values, including values that somebody else changes at the same time. */
export async function changeSettings(ctx: Context, caller: Caller, patch: SettingsPatch): Promise<void> {
  if (patch.model) await refuseModelAddress(ctx.egress, patch.model)
  await ctx.db.transaction().execute(async (tx) => {
    await lockGroups(tx)
    const now = await readSettings(tx)
    const write = (name: GroupName, value: unknown, secret: string | null = null) =>
      writeGroup(tx, name, { value, secret }, caller.actor.id)
    if (patch.agent) await write('agent', { ...now.agent, ...patch.agent })
    if (patch.limits) await write('limits', { ...now.limits, ...patch.limits })
    if (patch.retention) await write('retention', { ...now.retention, ...patch.retention })
    if (patch.prices !== undefined) await write('prices', mergePrices(now.prices, patch.prices))
    if (patch.model) {
      const { apiKey, ...value } = mergeModel(ctx, now.model, patch.model)
      await write('model', value, apiKey)
    }
    if (patch.model === null) await removeGroup(tx, 'model')
    if (now.agent.paused && patch.agent?.paused === false) await wakeRuns(ctx, tx)
    await ctx.audit(tx, {
      ...caller,
      action: 'settings.changed',
      // Only the names of the groups: a value could be a key.
      detail: { groups: Object.keys(patch), ...plainDetail(patch) },
    })
  })
  ctx.settings.forget()
}

/** What a reader of the audit log wants to know, without secrets. */
function plainDetail({ agent, retention }: SettingsPatch): Record<string, unknown> {
  return {
    ...(agent?.paused === undefined ? {} : { paused: agent.paused }),
    ...(retention ? { retention } : {}),
  }
}

function mergePrices(now: PriceTable, patch: NonNullable<SettingsPatch['prices']> | null): PriceTable {
  const merged = new Map(patch === null ? [] : Object.entries(now))
  for (const [model, price] of Object.entries(patch ?? {})) {
    if (price === null) merged.delete(model)
    else merged.set(model, price)
  }
  return Object.fromEntries(merged)
}

/** Continues the runs that stopped while the agent was paused, and wakes the dispatcher. */
async function wakeRuns(ctx: Context, tx: Db): Promise<void> {
  const ids = await listAliveRuns(tx)
  await ctx.queue.sendMany(
    tx,
    'run.advance',
    ids.map((runId) => ({ payload: { runId }, key: runId })),
  )
  await ctx.events.sayWaiting(tx)
}
