import { problem } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { WebhookId } from '../../shared/ids.ts'
import { findUrl } from '../manage/reveal-url.ts'
import { type ListedRefusal, listRefusals } from '../store/refusals.ts'
import { openRequest } from '../store/refused-requests.ts'
import { classifyContentType } from './body/classify-content-type.ts'
import { checkDelivery } from './check-delivery.ts'
import type { CachedWebhook, UrlCache } from './url-cache.ts'

type Context = { db: Db; vault: Vault; webhooks: { urlCache: UrlCache } }

const shownBytes = 2048

/** With the beginning of its body, if its request is kept. */
export async function showRefusal(
  ctx: Context,
  webhookId: WebhookId,
  id: string,
): Promise<ListedRefusal & { body: string | null }> {
  const refusal = await getRefusal(ctx.db, webhookId, id)
  const request = await openRequest(ctx.db, ctx.vault, webhookId, id)
  if (!request) return { ...refusal, body: null }
  const { webhook } = await findUrl(ctx, webhookId)
  return { ...refusal, body: beginning(request.body, webhook) }
}

/** Checks the delivery as it came, and at the time when it came, with the settings of now. Nothing is accepted. */
export async function checkRefusal(
  ctx: Context,
  webhookId: WebhookId,
  id: string,
): Promise<{ passes: boolean; reason: string | null }> {
  const { at, source, contentType } = await getRefusal(ctx.db, webhookId, id)
  const request = await openRequest(ctx.db, ctx.vault, webhookId, id)
  if (!request) {
    throw problem(
      'invalid-request',
      'This delivery is not kept any more, so it cannot be checked again: the last few of a webhook are kept for a day, up to 64 KiB each. Let the sender deliver again.',
    )
  }
  const { webhook } = await findUrl(ctx, webhookId)
  const bodyKind = classifyContentType(contentType ?? undefined, undefined, webhook.verification?.preset.form)
  if (!bodyKind)
    return { passes: false, reason: `The content type ${contentType} is not accepted with these settings.` }
  const received = { ...request, method: 'POST', source, contentType, bodyKind, now: at }
  const checked = checkDelivery(webhook, received)
  if (checked.kind !== 'refused') return { passes: true, reason: null }
  return { passes: false, reason: checked.explain?.() ?? checked.problem.message }
}

async function getRefusal(db: Db, webhookId: WebhookId, id: string): Promise<ListedRefusal> {
  const [refusal] = await listRefusals(db, webhookId, { id, limit: 1 })
  if (!refusal) throw problem('not-found', 'There is no refused delivery with this id any more.')
  return refusal
}

/** A sender may have put the secret into the body. */
function beginning(body: Buffer, { verification }: CachedWebhook): string {
  let text = body.subarray(0, shownBytes).toString('utf8')
  for (const secret of verification?.secrets ?? []) text = text.replaceAll(secret.reveal(), '••••')
  // The last character may be cut in half.
  return body.length > shownBytes ? text.replace(/\uFFFD$/, '') : text
}
