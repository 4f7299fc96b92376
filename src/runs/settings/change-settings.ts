import { sql } from 'kysely'
import type { Actor } from '../../actor.ts'
import type { Audit } from '../../audit.ts'
import type { RunId } from '../../ids.ts'
import type { Jobs } from '../../jobs.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import type { SettingsPatch } from '../contract.ts'
import type { PriceTable } from '../models/prices.ts'
import { listAliveRuns } from '../store/run-rows.ts'
import { mergeModel } from './merge-model.ts'
import type { Settings, SettingsValues } from './open-settings.ts'
import { type GroupName, removeGroup, writeGroup } from './store.ts'

type Context = { db: Db; queue: Queue<Jobs>; vault: Vault; egress: Egress; audit: Audit; settings: Settings }

/** A merge patch over the groups: what is absent stays as it is. */
export async function changeSettings(
  ctx: Context,
  patch: SettingsPatch,
  actor: Actor,
  source: string,
): Promise<void> {
  const now = await ctx.settings.read()
  const model = patch.model ? await mergeModel(ctx, now.model, patch.model) : null
  const changed: [GroupName, unknown][] = [
    ...(patch.agent ? [['agent', { ...now.agent, ...patch.agent }] as [GroupName, unknown]] : []),
    ...(patch.limits ? [['limits', { ...now.limits, ...patch.limits }] as [GroupName, unknown]] : []),
    ...(patch.retention
      ? [['retention', { ...now.retention, ...patch.retention }] as [GroupName, unknown]]
      : []),
    ...(patch.prices !== undefined
      ? [['prices', mergePrices(now, patch.prices)] as [GroupName, unknown]]
      : []),
  ]
  const resumes = now.agent.paused && patch.agent?.paused === false
  await ctx.db.transaction().execute(async (tx) => {
    for (const [name, value] of changed) await writeGroup(tx, name, { value, secret: null }, actor.id)
    if (model) {
      const { apiKey, ...value } = model
      await writeGroup(tx, 'model', { value, secret: apiKey }, actor.id)
    }
    if (patch.model === null) await removeGroup(tx, 'model')
    if (resumes) await wakeRuns(ctx, tx)
    // Which groups, and not their values: a key could be among them.
    const groups = [...changed.map(([name]) => name), ...(patch.model === undefined ? [] : ['model'])]
    await ctx.audit(tx, {
      actor,
      action: 'settings.changed',
      source,
      detail: { groups, ...pauseDetail(patch) },
    })
  })
  ctx.settings.forget()
}

function pauseDetail({ agent }: SettingsPatch): { paused?: boolean } {
  return agent?.paused === undefined ? {} : { paused: agent.paused }
}

function mergePrices(now: SettingsValues, patch: SettingsPatch['prices']): PriceTable {
  const merged = new Map(patch === null ? [] : Object.entries(now.prices))
  for (const [model, price] of Object.entries(patch ?? {})) {
    if (price === null) merged.delete(model)
    else merged.set(model, price)
  }
  return Object.fromEntries(merged)
}

/** Runs that stood still while the agent was paused go on, and the dispatcher looks into its inbox. */
async function wakeRuns(ctx: Context, tx: Db): Promise<void> {
  const ids: RunId[] = await listAliveRuns(tx)
  await ctx.queue.sendMany(
    tx,
    'run.advance',
    ids.map((runId) => ({ payload: { runId }, key: runId })),
  )
  await sql`select pg_notify('events_waiting', '')`.execute(tx)
}
