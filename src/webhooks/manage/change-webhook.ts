import { isDeepStrictEqual } from 'node:util'
import { findSourceScope } from '../../events/inbox/find-trigger.ts'
import { notifyEventsWaiting } from '../../events/inbox/move-events.ts'
import { restartRateLimit } from '../../events/inbox/traffic.ts'
import { refuseMissingChannel } from '../../events/lock-channel.ts'
import { forgetVerdicts } from '../../events/rules/store.ts'
import { invalidField } from '../../http/problems.ts'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { Secret } from '../../platform/secret.ts'
import { changedFields } from '../../revisions/changed-fields.ts'
import { shortChanges } from '../../revisions/compare-documents.ts'
import { type Restored, recordRevisions } from '../../revisions/store.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import type { WebhookId } from '../../shared/ids.ts'
import type { RefuseMissingConnectors } from '../../shared/ports/connector-ids.ts'
import type { VoidApprovals } from '../../shared/ports/voided.ts'
import {
  defaultConcurrency,
  type VerificationSettings,
  verificationSettings,
  type WebhookPatch,
  type WebhookShape,
} from '../contract.ts'
import type { UrlCache } from '../ingress/url-cache.ts'
import { listSecrets, replaceSecrets } from '../store/tokens.ts'
import {
  notifyWebhookChanged,
  setPaused,
  updateWebhook,
  type WebhookFields,
  type WebhookRow,
} from '../store/webhooks.ts'
import { checkSettings } from '../verification/check-settings.ts'
import { refuseMissingRuleChannels, refuseWrongConditions } from './check-rules.ts'
import { refuseBeyondRole, refuseShownSecret } from './check-webhook.ts'
import { getWebhook } from './get-webhook.ts'
import { showWebhook } from './show-webhook.ts'
import { documentOf } from './webhook-document.ts'

type Context = {
  voidApprovals: VoidApprovals
  db: Db
  vault: Vault
  audit: Audit
  publicUrl: string
  conditions: Conditions
  webhooks: { urlCache: Pick<UrlCache, 'forget'> }
  connectors: { refuseMissing: RefuseMissingConnectors }
}

/** A merge patch (RFC 7396). Takes effect here at once, and in other processes as soon as they are notified. */
export async function changeWebhook(
  ctx: Context,
  caller: Caller,
  id: WebhookId,
  patch: WebhookPatch,
  restored: Restored = {},
): Promise<WebhookShape> {
  if (patch.rules) await refuseWrongConditions(ctx.conditions, patch.rules)
  const row = await ctx.db.transaction().execute(async (tx) => {
    const before = await getWebhook(tx, id, { lock: true })
    const after = merge(before, patch)
    refuseBeyondRole(caller.actor, after, before)
    refuseShownSecret(after)
    if (after.channelId !== before.channelId) await refuseMissingChannel(tx, after.channelId)
    await ctx.connectors.refuseMissing(tx, after.connectorIds, before.connectorIds)
    if (!isDeepStrictEqual(after.rules, before.rules)) await refuseMissingRuleChannels(tx, after.rules)

    const given = patch.verification?.secrets?.map((text) => new Secret(text))
    const hasNewSecrets = given !== undefined && !(await areStored(ctx.vault, tx, id, given))
    const changed = changedFields(before, after, patch)
    const fields = hasNewSecrets ? [...new Set([...changed, 'verification'])] : changed
    if (fields.length === 0) return before
    if (after.verification) {
      checkSettings(after.verification, given ?? (await listSecrets(tx, ctx.vault, id)))
      if (given) await replaceSecrets(tx, ctx.vault, id, given)
    } else if (before.verification) {
      await replaceSecrets(tx, ctx.vault, id, [])
    }
    await updateWebhook(tx, id, after)
    const lostSecrets = before.verification !== null && after.verification === null
    await recordRevisions(
      tx,
      caller.actor,
      [
        {
          subject: id,
          before: documentOf(before),
          after: documentOf(after),
          changedSecrets: hasNewSecrets || lostSecrets ? ['verification.secrets'] : [],
        },
      ],
      restored,
    )
    if (haveRulesChanged(before, after)) await forgetVerdicts(tx, id)
    if (!isDeepStrictEqual(after.rateLimit, before.rateLimit)) await restartRateLimit(tx, id)
    await ctx.voidApprovals(tx, { sourceId: id, scope: await findSourceScope(tx, id) })
    if (before.state === 'active' && after.state === 'inactive')
      await ctx.voidApprovals(tx, { sourceId: id, scope: null })
    if (patch.paused === false && before.pausedAt) await setPaused(tx, id, null)
    // More events may start now: the concurrency was raised, or a pause ended.
    await notifyEventsWaiting(tx)
    await notifyWebhookChanged(tx, id)
    await ctx.audit(tx, {
      ...caller,
      action: 'webhook.changed',
      subject: id,
      detail: { fields, ...shortChanges(documentOf(before), documentOf(after)), ...restored },
    })
    return await getWebhook(tx, id)
  })
  ctx.webhooks.urlCache.forget(id)
  return showWebhook(ctx, row)
}

function haveRulesChanged(before: WebhookRow, after: WebhookFields): boolean {
  const rulesOf = ({ rules, threadKey, collect }: WebhookFields) => ({ rules, threadKey, collect })
  return !isDeepStrictEqual(rulesOf(before), rulesOf(after))
}

async function areStored(vault: Vault, tx: Db, id: WebhookId, given: readonly Secret[]): Promise<boolean> {
  const texts = (secrets: readonly Secret[]) => secrets.map((secret) => secret.reveal())
  return isDeepStrictEqual(texts(given), texts(await listSecrets(tx, vault, id)))
}

function merge(before: WebhookRow, patch: WebhookPatch): WebhookFields {
  const { verification, active, concurrency, paused: _, ...rest } = patch
  return {
    ...before,
    ...(rest as Partial<WebhookFields>), // the request's schema has matched the ids against their patterns
    ...(active === undefined ? {} : { state: active ? ('active' as const) : ('inactive' as const) }),
    ...(concurrency === undefined ? {} : { concurrency: concurrency ?? defaultConcurrency }),
    ...(verification === undefined
      ? {}
      : { verification: mergeVerification(before.verification, verification) }),
  }
}

/** A merge patch (RFC 7396) inside too, but the fields of one preset do not apply to another. */
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
