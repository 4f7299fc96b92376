import { openTraffic } from '../../events/inbox/traffic.ts'
import { refuseMissingChannel } from '../../events/lock-channel.ts'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import { newToken } from '../../platform/crypto/token.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { Secret } from '../../platform/secret.ts'
import { recordRevisions } from '../../revisions/store.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import { type ChannelId, type ConnectorId, newId } from '../../shared/ids.ts'
import type { RefuseMissingConnectors } from '../../shared/ports/connector-ids.ts'
import {
  defaultConcurrency,
  defaultRateLimit,
  type NewWebhook,
  type VerificationSettings,
  type WebhookShape,
} from '../contract.ts'
import { insertToken, replaceSecrets } from '../store/tokens.ts'
import { insertWebhook, type WebhookFields } from '../store/webhooks.ts'
import { checkSettings } from '../verification/check-settings.ts'
import { refuseMissingRuleChannels, refuseWrongConditions } from './check-rules.ts'
import { refuseBeyondRole, refuseShownSecret } from './check-webhook.ts'
import { getWebhook } from './get-webhook.ts'
import { showWebhook } from './show-webhook.ts'
import { documentOf } from './webhook-document.ts'

type Context = {
  db: Db
  vault: Vault
  audit: Audit
  publicUrl: string
  conditions: Conditions
  connectors: { refuseMissing: RefuseMissingConnectors }
}

/** The answer contains the complete URL. */
export async function createWebhook(ctx: Context, caller: Caller, given: NewWebhook): Promise<WebhookShape> {
  const { verification, active, concurrency, ...rest } = given
  const { secrets: texts = [], ...settings } = verification ?? {}
  const secrets = texts.map((text) => new Secret(text))
  const fields: WebhookFields = {
    ...rest,
    channelId: rest.channelId as ChannelId, // the request's schema has matched it against the pattern
    connectorIds: rest.connectorIds as ConnectorId[] | null, // the request's schema demands the prefix
    state: active ? 'active' : 'inactive',
    verification: verification && (settings as VerificationSettings), // what is left without the secrets
    concurrency: concurrency ?? defaultConcurrency,
  }
  refuseBeyondRole(caller.actor, fields, {
    ceiling: 'write',
    readsAcross: 'all',
    rateLimit: defaultRateLimit,
  })
  if (fields.verification) checkSettings(fields.verification, secrets)
  refuseShownSecret(fields)
  await refuseWrongConditions(ctx.conditions, fields.rules)

  const id = newId('webhook')
  const token = newToken('whk_')
  const row = await ctx.db.transaction().execute(async (tx) => {
    await refuseMissingChannel(tx, fields.channelId)
    await refuseMissingRuleChannels(tx, fields.rules)
    await ctx.connectors.refuseMissing(tx, fields.connectorIds)
    await insertWebhook(tx, id, fields, caller.actor.id)
    await recordRevisions(tx, caller.actor, [{ subject: id, before: null, after: documentOf(fields) }])
    await openTraffic(tx, id)
    await insertToken(tx, ctx.vault, id, token)
    await replaceSecrets(tx, ctx.vault, id, secrets)
    await ctx.audit(tx, { ...caller, action: 'webhook.created', subject: id, detail: { name: fields.name } })
    return await getWebhook(tx, id)
  })
  return showWebhook(ctx, row, token)
}
