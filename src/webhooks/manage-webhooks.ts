import { type Actor, mayActAs } from '../actor.ts'
import type { Audit } from '../audit.ts'
import { type ChannelId, type ConnectorId, newId, type WebhookId } from '../ids.ts'
import type { Vault } from '../platform/crypto/vault.ts'
import type { Db } from '../platform/db/database.ts'
import { Secret } from '../platform/secret.ts'
import { invalidField, problem } from '../problems.ts'
import {
  defaultConcurrency,
  defaultRateLimit,
  type NewWebhook,
  type VerificationSettings,
  verificationSettings,
  type WebhookPatch,
  type WebhookShape,
} from './contract.ts'
import type { Directory } from './door/directory.ts'
import { showWebhook } from './show-webhook.ts'
import { ignoreWaiting, sayEventsWait } from './store/move-events.ts'
import {
  expireTokens,
  forgetSecretsOf,
  insertToken,
  readSecrets,
  replaceSecrets,
  revealToken,
} from './store/tokens.ts'
import * as store from './store/webhooks.ts'
import { endpointUrl, newToken } from './token.ts'
import { checkSettings } from './verification/check-settings.ts'

export type ManageContext = {
  db: Db
  vault: Vault
  audit: Audit
  publicUrl: string
  directory: Pick<Directory, 'forget'>
}

/** Who asks, and from where. */
export type Caller = { actor: Actor; source: string }

export async function createWebhook(
  ctx: ManageContext,
  caller: Caller,
  given: NewWebhook,
): Promise<WebhookShape> {
  const { verification, active, rateLimit, concurrency, ...rest } = given
  const { secrets: texts = [], ...settings } = verification ?? {}
  const secrets = texts.map((text) => new Secret(text))
  const fields: store.WebhookFields = {
    ...rest,
    channelId: rest.channelId as ChannelId, // the shape at the door has matched it against the pattern
    connectorIds: rest.connectorIds as ConnectorId[] | null, // the shape at the door demands the prefix
    state: active ? 'active' : 'inactive',
    verification: verification && (settings as VerificationSettings), // what is left without the secrets
    ratePerSecond: rateLimit?.perSecond ?? null,
    rateBurst: rateLimit?.burst ?? null,
    concurrency: concurrency ?? defaultConcurrency,
  }
  refuseBeyondRole(caller.actor, fields, {
    ceiling: 'write',
    ratePerSecond: defaultRateLimit.perSecond,
    rateBurst: defaultRateLimit.burst,
  })
  if (fields.verification) checkSettings(fields.verification, secrets)

  const id = newId('webhook')
  const token = newToken()
  const row = await ctx.db.transaction().execute(async (tx) => {
    await refuseMissingChannel(tx, fields.channelId)
    await refuseMissingConnectors(tx, fields.connectorIds)
    await store.insertWebhook(tx, id, fields, caller.actor.id)
    await insertToken(tx, ctx.vault, id, token)
    await replaceSecrets(tx, ctx.vault, id, secrets)
    await ctx.audit(tx, { ...caller, action: 'webhook.created', subject: id, detail: { name: fields.name } })
    return await mustRead(tx, id)
  })
  return showWebhook(row, ctx.publicUrl, token)
}

export async function changeWebhook(
  ctx: ManageContext,
  caller: Caller,
  id: WebhookId,
  patch: WebhookPatch,
): Promise<WebhookShape> {
  const row = await ctx.db.transaction().execute(async (tx) => {
    const before = await store.readWebhook(tx, id, { lock: true })
    if (!before) throw notFound()
    const after = merge(before, patch)
    refuseBeyondRole(caller.actor, after, before)
    if (after.channelId !== before.channelId) await refuseMissingChannel(tx, after.channelId)
    await refuseMissingConnectors(tx, after.connectorIds, before.connectorIds)

    const given = patch.verification?.secrets?.map((text) => new Secret(text))
    if (after.verification) {
      checkSettings(after.verification, given ?? (await readSecrets(tx, ctx.vault, id)))
      if (given) await replaceSecrets(tx, ctx.vault, id, given)
    } else if (before.verification) {
      await replaceSecrets(tx, ctx.vault, id, [])
    }
    await store.updateWebhook(tx, id, after)
    if (patch.paused === false && before.pausedAt) await store.setPaused(tx, id, null)
    // More may run now: a place more, or a pause that ended.
    await sayEventsWait(tx)
    await store.announceChange(tx, id)
    const changed = Object.keys(patch)
    await ctx.audit(tx, { ...caller, action: 'webhook.changed', subject: id, detail: { fields: changed } })
    return await mustRead(tx, id)
  })
  ctx.directory.forget(id)
  return showWebhook(row, ctx.publicUrl)
}

export async function rotateUrl(
  ctx: ManageContext,
  caller: Caller,
  id: WebhookId,
  overlapSeconds: number,
): Promise<WebhookShape> {
  const token = newToken()
  const row = await ctx.db.transaction().execute(async (tx) => {
    if (!(await store.readWebhook(tx, id, { lock: true }))) throw notFound()
    await expireTokens(tx, id, overlapSeconds)
    await insertToken(tx, ctx.vault, id, token)
    await store.announceChange(tx, id)
    await ctx.audit(tx, { ...caller, action: 'webhook.rotated', subject: id, detail: { overlapSeconds } })
    return await mustRead(tx, id)
  })
  ctx.directory.forget(id)
  return showWebhook(row, ctx.publicUrl, token)
}

export async function revealUrl(ctx: ManageContext, caller: Caller, id: WebhookId): Promise<string> {
  return await ctx.db.transaction().execute(async (tx) => {
    if (!(await store.readWebhook(tx, id))) throw notFound()
    const token = await revealToken(tx, ctx.vault, id)
    if (!token) throw notFound()
    await ctx.audit(tx, { ...caller, action: 'webhook.revealed', subject: id })
    return endpointUrl(ctx.publicUrl, token.reveal())
  })
}

const ignoredAtOnce = 1000

/** Final. What still waits is ignored: nobody wants the rest of a storm from a webhook that is gone. */
export async function deleteWebhook(ctx: ManageContext, caller: Caller, id: WebhookId): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await store.markDeleted(tx, id))) throw notFound()
    await forgetSecretsOf(tx, id)
    await store.announceChange(tx, id)
    await ctx.audit(tx, { ...caller, action: 'webhook.deleted', subject: id })
  })
  ctx.directory.forget(id)
  // Nothing is dispatched for a deleted webhook any more; the rest of a storm is seen to by ignore-orphans.ts.
  await ignoreWaiting(ctx.db, id, ignoredAtOnce)
}

async function mustRead(tx: Db, id: WebhookId): Promise<store.WebhookRow> {
  const row = await store.readWebhook(tx, id)
  if (!row) throw new Error(`Webhook ${id} is gone within its own transaction.`)
  return row
}

function merge(before: store.WebhookRow, patch: WebhookPatch): store.WebhookFields {
  const { verification, active, rateLimit, concurrency, paused: _, ...rest } = patch
  return {
    ...before,
    ...(rest as Partial<store.WebhookFields>), // the shape at the door has matched the ids against their patterns
    ...(active === undefined ? {} : { state: active ? ('active' as const) : ('inactive' as const) }),
    ...(rateLimit === undefined
      ? {}
      : { ratePerSecond: rateLimit?.perSecond ?? null, rateBurst: rateLimit?.burst ?? null }),
    ...(concurrency === undefined ? {} : { concurrency: concurrency ?? defaultConcurrency }),
    ...(verification === undefined
      ? {}
      : { verification: mergeVerification(before.verification, verification) }),
  }
}

/** RFC 7396 inside as well, but the fields of one preset say nothing about another. */
function mergeVerification(
  before: VerificationSettings | null,
  patch: NonNullable<WebhookPatch['verification']> | null,
): VerificationSettings | null {
  if (patch === null) return null
  const { secrets: _, ...fields } = patch
  const samePreset = !('preset' in fields) || fields.preset === before?.preset
  const merged = Object.entries({ ...(samePreset ? before : {}), ...fields }).filter(
    ([, value]) => value !== null,
  )
  const parsed = verificationSettings.safeParse(Object.fromEntries(merged))
  if (!parsed.success) throw invalidField('/verification/preset', 'Choose how deliveries are verified.')
  return parsed.data
}

/** Higher limits and destructive tools are an admin's to give. */
function refuseBeyondRole(
  actor: Actor,
  after: Pick<store.WebhookFields, 'ceiling' | 'ratePerSecond' | 'rateBurst'>,
  before: Pick<store.WebhookFields, 'ceiling' | 'ratePerSecond' | 'rateBurst'>,
): void {
  if (mayActAs(actor, 'admin')) return
  if (after.ceiling === 'destructive' && before.ceiling !== 'destructive') {
    throw problem('forbidden', 'Only an admin may set the ceiling to destructive.')
  }
  if (after.ratePerSecond !== before.ratePerSecond || after.rateBurst !== before.rateBurst) {
    throw problem('forbidden', 'Only an admin may change the rate limit of a webhook.')
  }
}

async function refuseMissingChannel(db: Db, channelId: ChannelId): Promise<void> {
  if (await store.channelExists(db, channelId)) return
  throw invalidField('/channelId', 'There is no such channel. Choose one from GET /api/v1/channels.')
}

/** One that was listed before and is deleted by now may stay: it gives nothing to anybody. */
async function refuseMissingConnectors(
  db: Db,
  ids: readonly ConnectorId[] | null,
  listed: readonly ConnectorId[] | null = null,
): Promise<void> {
  const asked = (ids ?? []).filter((id) => !listed?.includes(id))
  if (asked.length === 0) return
  const found = await store.connectorsAmong(db, asked)
  const missing = asked.find((id) => !found.has(id))
  if (missing === undefined) return
  throw invalidField(
    `/connectorIds/${ids?.indexOf(missing)}`,
    'There is no such connector. Choose one from GET /api/v1/connectors.',
  )
}

export function notFound() {
  return problem('not-found', 'There is no webhook with this id.')
}
