import type { Document } from '../../revisions/compare-documents.ts'
import type { WebhookFields } from '../store/webhooks.ts'

/** What a revision of a webhook holds: what a patch can change, except that it is paused. */
export function documentOf(of: WebhookFields): Document {
  return {
    name: of.name,
    channelId: of.channelId,
    prompt: of.prompt,
    active: of.state === 'active',
    ceiling: of.ceiling,
    connectorIds: of.connectorIds,
    readsAcross: of.readsAcross,
    verification: of.verification,
    exposeHeaders: of.exposeHeaders,
    deliveryId: of.deliveryId,
    rateLimit: of.rateLimit,
    maxBodyBytes: of.maxBodyBytes,
    concurrency: of.concurrency,
    allowSilence: of.allowSilence,
    model: of.model,
    fallbackModel: of.fallbackModel,
    runsPerHour: of.runsPerHour,
    costPerDay: of.costPerDay,
    rules: of.rules,
    threadKey: of.threadKey,
    threadDays: of.threadDays,
    collect: of.collect,
  }
}
