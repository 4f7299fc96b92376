import { hashToken } from '../../platform/crypto/token.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Secret } from '../../platform/secret.ts'
import type { WebhookId } from '../../shared/ids.ts'
import type { DeliveryIdSource, PresetName, RateLimit } from '../contract.ts'
import type { WebhookState } from '../manage/webhook-state.ts'
import { type FoundToken, listTokens, openSecret } from '../store/tokens.ts'
import { type Preset, presets } from '../verification/presets.ts'
import { resolveSchemes } from '../verification/resolve-schemes.ts'
import type { Scheme } from '../verification/scheme.ts'

/** What the ingress knows about the webhook of a URL. */
export type CachedWebhook = {
  webhookId: WebhookId
  tokenHash: string
  /** On the clock that nobody sets (`performance.now()`): replicas whose clocks differ close a former URL at the same moment. */
  closesAtMs: number
  isFormer: boolean
  state: WebhookState
  verification: Verification | null
  exposeHeaders: readonly string[]
  deliveryId: DeliveryIdSource | null
  rateLimit: RateLimit | null
  maxBodyBytes: number
}

type Verification = {
  presetName: PresetName
  preset: Preset
  schemes: readonly Scheme[]
  secrets: readonly Secret[]
  /** One or more cannot be decrypted, because their encryption key is gone. */
  hasLostSecrets: boolean
  headers: readonly string[]
}

export type UrlCache = {
  /** Synchronous if cached, else a promise. */
  find(token: string): CachedWebhook | Promise<CachedWebhook | null>
  /** Null: a notification may have been missed, so the whole cache is dropped. */
  forget(webhookId: WebhookId | null): void
}

const maxCachedUrls = 100_000

/**
 * Caches URLs, so that an accepted delivery needs no lookup. Only existing ones are cached: an unknown URL is looked up each
 * time, so that a webhook just created by another process is found, and strangers cannot fill the memory.
 */
export function createUrlCache(ctx: { db: Db; vault: Vault }): UrlCache {
  const known = new Map<string, CachedWebhook>()
  let asked: { hash: string; resolve(webhook: CachedWebhook | null): void; reject(error: unknown): void }[] =
    []
  // Incremented by `forget`: a lookup that was under way meanwhile may be outdated, so its result is used once but not cached.
  let generation = 0

  async function lookUp(): Promise<void> {
    const questions = asked
    const startedIn = generation
    asked = []
    try {
      const hashes = [...new Set(questions.map(({ hash }) => hash))]
      const found = new Map((await listTokens(ctx.db, hashes)).map((row) => [row.hash, row]))
      if (known.size + found.size > maxCachedUrls) known.clear()
      for (const { hash, resolve, reject } of questions) {
        // One whose secrets cannot be opened must not refuse the deliveries to others.
        try {
          const row = found.get(hash)
          const webhook = row ? toCachedWebhook(ctx.vault, row) : null
          if (webhook && startedIn === generation) known.set(hash, webhook)
          resolve(webhook)
        } catch (error) {
          reject(error)
        }
      }
    } catch (error) {
      for (const { reject } of questions) reject(error)
    }
  }

  return {
    find(token) {
      const hash = hashToken(token)
      const webhook = known.get(hash)
      if (webhook) return webhook
      return new Promise((resolve, reject) => {
        if (asked.length === 0) setImmediate(lookUp)
        asked.push({ hash, resolve, reject })
      })
    },
    forget(webhookId) {
      generation++
      if (webhookId === null) return known.clear()
      for (const [hash, webhook] of known) if (webhook.webhookId === webhookId) known.delete(hash)
    },
  }
}

function toCachedWebhook(vault: Vault, row: FoundToken): CachedWebhook {
  return {
    webhookId: row.webhookId,
    tokenHash: row.hash,
    closesAtMs: performance.now() + (row.openMs ?? Number.POSITIVE_INFINITY),
    isFormer: row.isFormer,
    state: row.state,
    verification:
      row.verification && row.state !== 'deleted' ? toVerification(vault, row, row.verification) : null,
    exposeHeaders: row.exposeHeaders.map((name) => name.toLowerCase()),
    deliveryId: row.deliveryId,
    rateLimit: row.rateLimit,
    maxBodyBytes: row.maxBodyBytes,
  }
}

function toVerification(
  vault: Vault,
  row: FoundToken,
  settings: NonNullable<FoundToken['verification']>,
): Verification {
  const schemes = resolveSchemes(settings)
  const secrets = row.secrets.flatMap((secret) => openSecret(vault, secret) ?? [])
  return {
    presetName: settings.preset,
    preset: presets[settings.preset],
    schemes,
    secrets,
    hasLostSecrets: secrets.length < row.secrets.length,
    headers: schemes.map((scheme) => scheme.header.toLowerCase()),
  }
}
