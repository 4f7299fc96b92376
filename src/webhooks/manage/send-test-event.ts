import type { Inbox } from '../../events/inbox/inbox.ts'
import type { Receipt } from '../../events/inbox/new-event.ts'
import { type Problem, problem } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { isDeeperThan } from '../../platform/json/is-deeper-than.ts'
import type { Secret } from '../../platform/secret.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import type { WebhookId } from '../../shared/ids.ts'
import { maxDepth } from '../ingress/body/check-json.ts'
import { checkDelivery, type ReceivedDelivery } from '../ingress/check-delivery.ts'
import { tooLarge } from '../ingress/delivery-problems.ts'
import { toNewEvent } from '../ingress/to-new-event.ts'
import type { CachedWebhook, UrlCache } from '../ingress/url-cache.ts'
import { readKey } from '../verification/read-key.ts'
import type { Scheme } from '../verification/scheme.ts'
import { signDelivery } from '../verification/sign-delivery.ts'
import { findUrl } from './reveal-url.ts'
import { endpointUrl } from './token.ts'

type Context = {
  db: Db
  vault: Vault
  audit: Audit
  publicUrl: string
  now: () => Date
  webhooks: { urlCache: UrlCache; inbox: Inbox }
}

type AcceptedReceipt = Extract<Receipt, { eventId: string }>

/**
 * An event as the sender would send it: signed as configured, through the same checks and the same inbox as any delivery. Drafts
 * accept it too, since testing is what a draft is for.
 */
export async function sendTestEvent(
  ctx: Context,
  caller: Caller,
  id: WebhookId,
  given: { body?: unknown },
): Promise<AcceptedReceipt> {
  const { token, webhook } = await findUrl(ctx, id)
  const now = ctx.now()
  const body = writeBody('body' in given ? given.body : sampleBody(caller, now), webhook)
  const received: ReceivedDelivery = {
    ...signAsSender(webhook, endpointUrl(ctx.publicUrl, token), body, now),
    method: 'POST',
    body,
    source: caller.source,
    contentType: 'application/json',
    bodyKind: 'json',
    now,
    isTest: true,
  }
  const checked = checkDelivery(webhook, received)
  if (checked.kind === 'refused') throw explained(checked.problem, checked.explain?.())
  if (checked.kind === 'handshake') {
    throw problem('invalid-request', 'This body is the sender’s handshake: it is answered and starts no run.')
  }
  const receipt = await ctx.webhooks.inbox.put(toNewEvent(webhook, received, checked))
  if (!('eventId' in receipt)) throw refusalOf(receipt)
  const detail = { eventId: receipt.eventId }
  await ctx.audit(ctx.db, { ...caller, action: 'webhook.tested', subject: id, detail })
  return receipt
}

function writeBody(content: unknown, { maxBodyBytes }: CachedWebhook): Buffer {
  // Deeper ones cannot be serialised; the ingress refuses them too.
  if (isDeeperThan(content, maxDepth))
    throw problem('malformed-json', `The JSON is nested deeper than ${maxDepth} levels. Flatten it.`)
  const body = Buffer.from(JSON.stringify(content))
  if (body.length > maxBodyBytes) throw tooLarge(maxBodyBytes)
  return body
}

function signAsSender({ verification }: CachedWebhook, url: string, body: Buffer, now: Date) {
  const headers = { 'content-type': 'application/json', 'user-agent': 'Bellhop test event' }
  const unsigned = { method: 'POST', url, headers, body }
  const schemes = verification?.schemes ?? []
  const scheme = schemes[0]
  const secret = verification?.secrets[0]
  const signed = scheme && secret ? signDelivery(scheme, secret, unsigned, now) : null
  const sent = signed ?? unsigned
  return {
    url: sent.url,
    rawHeaders: Object.entries(sent.headers).flat(),
    // Only the sender has the private key, so a test event is accepted without a signature.
    trusted: signed === null && secret !== undefined && schemes.some((one) => isPublicKey(one, secret)),
  }
}

function isPublicKey(scheme: Scheme, secret: Secret): boolean {
  return scheme.algorithm === 'ed25519' && readKey(scheme, secret) !== null
}

function refusalOf({ outcome }: Exclude<Receipt, AcceptedReceipt>): Problem {
  switch (outcome) {
    case 'limited':
      return problem('rate-limited', 'The webhook is at its limit right now. Try again in a moment.')
    case 'conflict':
      throw new Error('A test event has no key that another body could have.')
    case 'disk-full':
      return problem(
        'disk-full',
        'There is no space left on the disk of the database. Make room, then try again.',
      )
    case 'unavailable':
      return problem('unavailable', 'The event could not be stored. Try again in a moment.')
  }
}

function explained(refusal: Problem, reason: string | undefined): Problem {
  return reason === undefined ? refusal : problem('invalid-request', reason)
}

function sampleBody({ actor }: Caller, now: Date) {
  return {
    event: 'test',
    message: `A test event, sent by ${actor.name}.`,
    sentAt: now.toISOString(),
    // Linear signs a time in the body.
    webhookTimestamp: now.getTime(),
  }
}
