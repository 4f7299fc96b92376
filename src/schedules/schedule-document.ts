import type { Document } from '../revisions/compare-documents.ts'
import type { ScheduleFields } from './store.ts'

/** What a revision of a schedule holds: what a patch can change, except that it is paused. */
export function documentOf(of: ScheduleFields): Document {
  return {
    name: of.name,
    channelId: of.channelId,
    prompt: of.prompt,
    active: of.state === 'active',
    cron: of.cron,
    at: of.at,
    timeZone: of.timeZone,
    ifMissed: of.ifMissed,
    graceMinutes: of.graceMinutes,
    overlap: of.overlap,
    thread: of.thread,
    ceiling: of.ceiling,
    connectorIds: of.connectorIds,
    model: of.model,
    fallbackModel: of.fallbackModel,
    allowSilence: of.allowSilence,
    costPerDay: of.costPerDay,
  }
}
