import { ignoreWaiting } from '../../events/inbox/move-events.ts'
import type { Db } from '../../platform/db/database.ts'
import { forgetRevisions } from '../../revisions/store.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import type { WebhookId } from '../../shared/ids.ts'
import type { VoidApprovals } from '../../shared/ports/voided.ts'
import type { UrlCache } from '../ingress/url-cache.ts'
import { forgetRequestsOf } from '../store/refused-requests.ts'
import { forgetSecretsOf } from '../store/tokens.ts'
import { markDeleted, notifyWebhookChanged } from '../store/webhooks.ts'
import { getWebhook } from './get-webhook.ts'

type Context = {
  voidApprovals: VoidApprovals
  db: Db
  audit: Audit
  webhooks: { urlCache: Pick<UrlCache, 'forget'> }
}

const ignoreBatch = 1000

/** Permanent. Waiting events are ignored: nobody wants the rest of a storm from a deleted webhook. */
export async function deleteWebhook(ctx: Context, caller: Caller, id: WebhookId): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await getWebhook(tx, id, { lock: true })
    await markDeleted(tx, id)
    await forgetSecretsOf(tx, id)
    await forgetRequestsOf(tx, id)
    await forgetRevisions(tx, [id])
    await ctx.voidApprovals(tx, { sourceId: id, scope: null })
    await notifyWebhookChanged(tx, id)
    await ctx.audit(tx, { ...caller, action: 'webhook.deleted', subject: id })
  })
  ctx.webhooks.urlCache.forget(id)
  // Nothing is dispatched for a deleted webhook any more; `ignoreOrphans` handles what is left.
  await ignoreWaiting(ctx.db, id, ignoreBatch)
}
