import { newToken } from '../../platform/crypto/token.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import type { WebhookId } from '../../shared/ids.ts'
import type { WebhookShape } from '../contract.ts'
import type { UrlCache } from '../ingress/url-cache.ts'
import { expireTokens, insertToken } from '../store/tokens.ts'
import { notifyWebhookChanged } from '../store/webhooks.ts'
import { getWebhook } from './get-webhook.ts'
import { showWebhook } from './show-webhook.ts'

type Context = {
  db: Db
  vault: Vault
  audit: Audit
  publicUrl: string
  webhooks: { urlCache: Pick<UrlCache, 'forget'> }
}

/** A new URL; the former one keeps working for the overlap. */
export async function rotateUrl(
  ctx: Context,
  caller: Caller,
  id: WebhookId,
  overlapSeconds: number,
): Promise<WebhookShape> {
  const token = newToken('whk_')
  const row = await ctx.db.transaction().execute(async (tx) => {
    await getWebhook(tx, id, { lock: true })
    await expireTokens(tx, id, overlapSeconds)
    await insertToken(tx, ctx.vault, id, token)
    await notifyWebhookChanged(tx, id)
    await ctx.audit(tx, { ...caller, action: 'webhook.rotated', subject: id, detail: { overlapSeconds } })
    return await getWebhook(tx, id)
  })
  ctx.webhooks.urlCache.forget(id)
  return showWebhook(ctx, row, token)
}
