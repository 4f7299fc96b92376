import { z } from 'zod'
import { pricesShape } from '../models/contract.ts'
import type { PriceTable } from '../models/prices.ts'
import type { Db } from '../platform/db/database.ts'
import type { Notifications } from '../platform/db/notifications.ts'
import { remember } from '../platform/remember.ts'
import { agentSettingsShape, approvalSettingsShape, limitsShape, retentionShape } from './contract.ts'
import { type Group, readGroups, settingsChanged } from './store.ts'
import { type StoredModel, storedModelShape } from './stored-model.ts'

export type SettingsValues = {
  agent: z.output<typeof agentSettingsShape>
  limits: z.output<typeof limitsShape>
  retention: z.output<typeof retentionShape>
  approvals: z.output<typeof approvalSettingsShape>
  prices: PriceTable
  /** IANA. */
  timeZone: string
  /** Null if nothing was chosen in the dashboard. */
  model: StoredModel | null
  fallbackModel: StoredModel | null
  /** Which save of them is in force; null before the first. */
  revision: number | null
}

export type Settings = {
  read(): Promise<SettingsValues>
  /** For use after a change in this process; other processes are notified. */
  forget(): void
}

export const defaultSettings: Omit<SettingsValues, 'model' | 'fallbackModel' | 'prices' | 'revision'> = {
  timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  agent: { name: 'Bellhop', paused: false, pauseReason: null, instructions: '' },
  limits: {
    activeRuns: 64,
    chatRuns: 16,
    modelSilenceSeconds: 60,
    stepsPerRun: 30,
    workSecondsPerRun: 600,
    tokensPerRun: 1_000_000,
    costPerRun: null,
    approvalSeconds: 86_400,
  },
  retention: { days: 30, messageDays: 365, auditDays: 365 },
  approvals: { adminsMayApprove: true },
}

/** Every step of every run reads the settings, so they are cached until somebody changes them. */
export async function openSettings(ctx: { db: Db; notifications: Notifications }): Promise<Settings> {
  const values = remember(() => readSettings(ctx.db))
  await ctx.notifications.listen(settingsChanged, values.forget)
  return values
}

export async function readSettings(db: Db): Promise<SettingsValues> {
  const groups = await readGroups(db)
  const group = (name: string): object => {
    const value = groups.get(name)?.value
    return typeof value === 'object' && value !== null ? value : {}
  }
  return {
    agent: agentSettingsShape.parse({ ...defaultSettings.agent, ...group('agent') }),
    limits: limitsShape.parse({ ...defaultSettings.limits, ...group('limits') }),
    retention: retentionShape.parse({ ...defaultSettings.retention, ...group('retention') }),
    approvals: approvalSettingsShape.parse({ ...defaultSettings.approvals, ...group('approvals') }),
    prices: pricesShape.parse(group('prices')),
    timeZone: z.string().parse(groups.get('timeZone')?.value ?? defaultSettings.timeZone),
    model: readModel(groups.get('model')),
    fallbackModel: readModel(groups.get('fallbackModel')),
    revision: z
      .int()
      .nullable()
      .parse(groups.get('revision')?.value ?? null),
  }
}

function readModel(group: Group | undefined): StoredModel | null {
  return group ? { ...storedModelShape.parse(group.value), apiKey: group.secret } : null
}
