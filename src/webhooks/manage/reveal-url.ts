import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import type { WebhookId } from '../../shared/ids.ts'
import type { CachedWebhook, UrlCache } from '../ingress/url-cache.ts'
import { revealToken } from '../store/tokens.ts'
import { getWebhook } from './get-webhook.ts'
import { endpointUrl } from './token.ts'

type Finding = { db: Db; vault: Vault; webhooks: { urlCache: Pick<UrlCache, 'find'> } }
type Context = { db: Db; vault: Vault; audit: Audit; publicUrl: string }

/** Returns the complete URL again; the audit log records who asked. */
export async function revealUrl(ctx: Context, caller: Caller, id: WebhookId): Promise<string> {
  return await ctx.db.transaction().execute(async (tx) => {
    await getWebhook(tx, id, { lock: true })
    const token = await revealToken(tx, ctx.vault, id)
    await ctx.audit(tx, { ...caller, action: 'webhook.revealed', subject: id })
    return endpointUrl(ctx.publicUrl, token.reveal())
  })
}

/** For what comes from an operator and is handled as if it had come to the URL. */
export async function findUrl(
  ctx: Finding,
  id: WebhookId,
): Promise<{ token: string; webhook: CachedWebhook }> {
  const token = await ctx.db.transaction().execute(async (tx) => {
    await getWebhook(tx, id, { lock: true })
    return (await revealToken(tx, ctx.vault, id)).reveal()
  })
  const webhook = await ctx.webhooks.urlCache.find(token)
  if (!webhook) throw new Error(`The URL of webhook ${id} was not found.`)
  return { token, webhook }
}
