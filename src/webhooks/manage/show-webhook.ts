import type { Vault } from '../../platform/crypto/vault.ts'
import type { WebhookShape } from '../contract.ts'
import type { WebhookRow } from '../store/webhooks.ts'
import { endpointUrl, maskedUrl } from './token.ts'

/** A webhook as the API shows it. The URL is complete only for the caller who has just created it. */
export function showWebhook(
  { vault, publicUrl }: { vault: Pick<Vault, 'keyIds'>; publicUrl: string },
  row: WebhookRow,
  token?: string,
): WebhookShape {
  const [current, ...former] = row.tokens
  return {
    id: row.id,
    name: row.name,
    channelId: row.channelId,
    channelName: row.channelName,
    prompt: row.prompt,
    active: row.state === 'active',
    endpointUrl: token ? endpointUrl(publicUrl, token) : maskedUrl(publicUrl, current?.hint ?? ''),
    formerUrls: former.map(({ hint, expiresAt, lastUsedAt, lastUsedFrom }) => ({
      endpointUrl: maskedUrl(publicUrl, hint),
      expiresAt: isoTime(expiresAt),
      lastUsedAt: isoTime(lastUsedAt),
      lastUsedFrom,
    })),
    ceiling: row.ceiling,
    connectorIds: row.connectorIds,
    readsAcross: row.readsAcross,
    verification: row.verification && {
      ...row.verification,
      secrets: {
        set: row.secretKeys.every((keyId) => vault.keyIds.includes(keyId)),
        count: row.secretKeys.length,
      },
    },
    exposeHeaders: row.exposeHeaders,
    rateLimit: row.rateLimit,
    allowSilence: row.allowSilence,
    deliveryId: row.deliveryId,
    maxBodyBytes: row.maxBodyBytes,
    concurrency: row.concurrency,
    model: row.model,
    fallbackModel: row.fallbackModel,
    runsPerHour: row.runsPerHour,
    costPerDay: row.costPerDay,
    rules: row.rules,
    threadKey: row.threadKey,
    threadDays: row.threadDays,
    collect: row.collect,
    paused: row.pausedAt !== null,
    pauseReason: row.pauseReason,
    concurrencyReached: row.concurrencyReached,
    accepted: row.accepted,
    refused: row.refused,
    lastEventAt: row.lastEventAt?.toISOString() ?? null,
    lastRefusedAt: row.lastRefusedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** Times in JSON from the database have its own offset. */
function isoTime(text: string | null): string | null {
  return text === null ? null : new Date(text).toISOString()
}
