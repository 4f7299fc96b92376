import { isDeepStrictEqual } from 'node:util'
import type { JobQueue, JobSender } from '../jobs.ts'
import type { PriceTable } from '../models/prices.ts'
import type { Vault } from '../platform/crypto/vault.ts'
import type { Db } from '../platform/db/database.ts'
import type { Egress } from '../platform/egress/open-egress.ts'
import { shortChanges } from '../revisions/compare-documents.ts'
import { type Restored, recordRevisions } from '../revisions/store.ts'
import type { Caller } from '../shared/actor.ts'
import type { Audit } from '../shared/audit.ts'
import type { SettingsPatch } from './contract.ts'
import { mergeModel, refuseModelAddress } from './merge-model.ts'
import { defaultSettings, readSettings, type Settings, type SettingsValues } from './open-settings.ts'
import { documentOf } from './settings-document.ts'
import { type GroupName, groupNames, lockGroups, removeGroup, writeGroup } from './store.ts'
import type { ModelGroup, StoredModel } from './stored-model.ts'

export type ChangeContext = {
  db: Db
  queue: JobQueue
  vault: Vault
  egress: Egress
  audit: Audit
  settings: Settings
  runs: {
    /** Continues what stopped while the agent was paused. */
    wakeAll(sender: JobSender): Promise<void>
  }
}

/** A merge patch over the groups: absent fields keep their values, including values that somebody else changes at the same time. */
export async function changeSettings(
  ctx: ChangeContext,
  caller: Caller,
  patch: SettingsPatch,
  restored: Restored = {},
): Promise<void> {
  for (const group of modelGroups) {
    const given = patch[group]
    if (given) await refuseModelAddress(ctx.egress, given, group)
  }
  await ctx.db.transaction().execute(async (tx) => {
    await lockGroups(tx)
    const now = await readSettings(tx)
    const next = apply(ctx, now, patch)
    const groups = groupNames.filter((name) => !isDeepStrictEqual(next[name], now[name]))
    if (groups.length === 0) return
    for (const name of groups) await write(tx, name, next, caller.actor.id)
    const changedSecrets = modelGroups.flatMap((name) =>
      now[name]?.apiKey === next[name]?.apiKey ? [] : [`${name}.apiKey`],
    )
    const save = {
      subject: 'settings',
      before: documentOf(now),
      after: documentOf(next),
      changedSecrets,
    } as const
    await recordRevisions(tx, caller.actor, [save], restored)
    if (now.agent.paused && !next.agent.paused) await ctx.runs.wakeAll({ db: tx, queue: ctx.queue })
    const detail = {
      groups,
      ...shortChanges(save.before, save.after),
      ...restored,
      ...(now.agent.paused === next.agent.paused ? {} : { paused: next.agent.paused }),
    }
    await ctx.audit(tx, { ...caller, action: 'settings.changed', detail })
  })
  ctx.settings.forget()
}

function apply(ctx: ChangeContext, now: SettingsValues, patch: SettingsPatch): SettingsValues {
  const { agent, limits, retention, approvals, timeZone } = defaultSettings
  return {
    agent: withoutOldReason(mergeGroup(now.agent, patch.agent, agent)),
    limits: mergeGroup(now.limits, patch.limits, limits),
    retention: mergeGroup(now.retention, patch.retention, retention, ['messageDays', 'auditDays']),
    approvals: mergeGroup(now.approvals, patch.approvals, approvals),
    revision: now.revision,
    timeZone: patch.timeZone === null ? timeZone : (patch.timeZone ?? now.timeZone),
    prices: patch.prices === undefined ? now.prices : mergePrices(now.prices, patch.prices),
    model: mergeChosen(ctx, now, patch, 'model'),
    fallbackModel: mergeChosen(ctx, now, patch, 'fallbackModel'),
  }
}

function withoutOldReason(agent: SettingsValues['agent']): SettingsValues['agent'] {
  return agent.paused ? agent : { ...agent, pauseReason: null }
}

const modelGroups = ['model', 'fallbackModel'] as const

function mergeChosen(
  ctx: ChangeContext,
  now: SettingsValues,
  patch: SettingsPatch,
  group: ModelGroup,
): StoredModel | null {
  const given = patch[group]
  return given ? mergeModel(ctx, now[group], given, group) : given === null ? null : now[group]
}

/** Null returns a field, or all of them, to the default (RFC 7396), except where null is a value of its own. */
function mergeGroup<Group extends object>(
  now: Group,
  patch: { [Name in keyof Group]?: Group[Name] | null | undefined } | null | undefined,
  defaults: Group,
  knowsNull: readonly (keyof Group)[] = [],
): Group {
  if (patch === null) return defaults
  const merged = { ...now }
  // A patch has no other fields than its group: its shape is strict.
  for (const name of Object.keys(patch ?? {}) as (keyof Group)[]) {
    const value = patch?.[name]
    if (value === undefined) continue
    // The patch has the shape of the group, so null is left only where it is a value.
    merged[name] =
      value === null && !knowsNull.includes(name) ? defaults[name] : (value as Group[typeof name])
  }
  return merged
}

async function write(tx: Db, name: GroupName, next: SettingsValues, by: string): Promise<void> {
  if (name === 'timeZone' && next.timeZone === defaultSettings.timeZone) return await removeGroup(tx, name)
  if (name !== 'model' && name !== 'fallbackModel')
    return await writeGroup(tx, name, { value: next[name], secret: null }, by)
  const model = next[name]
  if (model === null) return await removeGroup(tx, name)
  const { apiKey, ...value } = model
  await writeGroup(tx, name, { value, secret: apiKey }, by)
}

function mergePrices(now: PriceTable, patch: NonNullable<SettingsPatch['prices']> | null): PriceTable {
  const merged = new Map(patch === null ? [] : Object.entries(now))
  for (const [model, price] of Object.entries(patch ?? {})) {
    if (price === null) merged.delete(model)
    else merged.set(model, price)
  }
  return Object.fromEntries(merged)
}
