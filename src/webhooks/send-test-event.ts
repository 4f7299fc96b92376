import type { Caller } from '../actor.ts'
import type { Audit } from '../audit.ts'
import type { WebhookId } from '../ids.ts'
import type { Vault } from '../platform/crypto/vault.ts'
import type { Db } from '../platform/db/database.ts'
import { isDeeperThan } from '../platform/json/is-deeper-than.ts'
import { type Problem, problem } from '../problems.ts'
import { maxDepth } from './check-json.ts'
import { checkDelivery } from './door/check-delivery.ts'
import type { Directory } from './door/directory.ts'
import type { Inbox, Receipt } from './door/inbox.ts'
import { findWebhook } from './find-webhook.ts'
import { revealToken } from './store/tokens.ts'
import { endpointUrl } from './token.ts'
import { signDelivery } from './verification/sign-delivery.ts'

type Context = {
  db: Db
  vault: Vault
  audit: Audit
  publicUrl: string
  now: () => Date
  webhooks: { directory: Directory; inbox: Inbox }
}

/**
 * An event as the sender would send it: signed as configured, through the same checks and the same inbox as any delivery.
 * A draft takes it too, since trying it out is what a draft is for.
 */
export async function sendTestEvent(
  ctx: Context,
  caller: Caller,
  id: WebhookId,
  given: { body?: unknown },
): Promise<Extract<Receipt, { eventId: string }>> {
  const token = await ctx.db.transaction().execute(async (tx) => {
    await findWebhook(tx, id, { lock: true })
    return await revealToken(tx, ctx.vault, id)
  })
  const entry = await ctx.webhooks.directory.find(token.reveal())
  if (!entry) throw new Error(`Webhook ${id} has a URL that leads nowhere.`)

  // Deeper ones could not even be written as text; the door refuses them alike.
  if (isDeeperThan(given.body, maxDepth))
    throw problem('malformed-json', `The JSON is nested deeper than ${maxDepth} levels. Flatten it.`)
  const now = ctx.now()
  const body = Buffer.from(JSON.stringify('body' in given ? given.body : sampleBody(caller, now)))
  if (body.length > entry.maxBodyBytes) {
    throw problem('body-too-large', `The body may have ${entry.maxBodyBytes} bytes at most. Send less.`)
  }
  const unsigned = {
    method: 'POST',
    url: endpointUrl(ctx.publicUrl, token.reveal()),
    headers: { 'content-type': 'application/json', 'user-agent': 'Bellhop test event' },
    body,
  }
  const scheme = entry.verification?.schemes[0]
  const secret = entry.verification?.secrets[0]
  const signed = scheme && secret ? signDelivery(scheme, secret, unsigned, now) : null
  const { url, headers } = signed ?? unsigned
  const checked = checkDelivery(entry, {
    method: 'POST',
    url,
    rawHeaders: Object.entries(headers).flat(),
    body,
    source: caller.source,
    contentType: 'application/json',
    bodyKind: 'json',
    now,
    isTest: true,
    // Only the sender can sign with a private key; the operator's word stands in for it.
    trusted: entry.verification !== null && signed === null,
  })
  if (checked.kind === 'refused') throw explained(checked.problem, checked.explain())
  if (checked.kind === 'handshake') {
    throw problem(
      'invalid-request',
      'This body is a handshake of the sender: it is answered and starts no run.',
    )
  }
  const receipt = await ctx.webhooks.inbox.put(checked.arrival)
  if ('eventId' in receipt) {
    await ctx.audit(ctx.db, {
      ...caller,
      action: 'webhook.tested',
      subject: id,
      detail: { eventId: receipt.eventId },
    })
    return receipt
  }
  switch (receipt.outcome) {
    case 'limited':
      throw problem('rate-limited', 'The webhook is at its limit right now. Try again in a moment.')
    case 'conflict':
      throw problem('delivery-conflict', 'Another body was sent under the same delivery id.')
    case 'unavailable':
      throw problem('unavailable', 'The event could not be stored. Try again in a moment.')
  }
}

function explained(refusal: Problem, reason: string): Problem {
  return problem(refusal.type === 'verification-failed' ? 'invalid-request' : refusal.type, reason)
}

function sampleBody({ actor }: Caller, now: Date) {
  return {
    event: 'test',
    message: `A test event, sent by ${actor.name}.`,
    sentAt: now.toISOString(),
    // Linear signs a time inside the body.
    webhookTimestamp: now.getTime(),
  }
}
