import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import type { Backlog } from '../../events/inbox/backlog.ts'
import type { EventMetrics } from '../../events/inbox/event-metrics.ts'
import type { Inbox } from '../../events/inbox/inbox.ts'
import type { Receipt } from '../../events/inbox/new-event.ts'
import { problem } from '../../http/problems.ts'
import { isUnavailable } from '../../platform/db/database.ts'
import type { Listener } from '../../platform/http-server/listen.ts'
import { preferredWait } from '../../platform/http-server/preferred-wait.ts'
import type { SourceAddress } from '../../platform/http-server/source-address.ts'
import type { Log } from '../../platform/log.ts'
import type { Lifecycle } from '../../shared/lifecycle.ts'
import { looksLikeToken } from '../manage/token.ts'
import type { BodyMemory, Reservation } from './body/body-memory.ts'
import { type BodyKind, classifyContentType } from './body/classify-content-type.ts'
import { announcedBytes, readBody } from './body/read-body.ts'
import { checkDelivery, type ReceivedDelivery } from './check-delivery.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import {
  outOfMemory,
  refusalOf,
  tooLarge,
  unavailable,
  unknownUrl,
  whyClosed,
  wrongMethod,
  wrongType,
} from './delivery-problems.ts'
import type { FailureLimit } from './failure-limit.ts'
import type { RefusalLog } from './refusal-log.ts'
import { newRequestId, type RefusedDelivery, refuseDelivery } from './refuse-delivery.ts'
import { sendEmpty, sendJson, sendReceipt } from './send-answer.ts'
import { toNewEvent } from './to-new-event.ts'
import type { CachedWebhook, UrlCache } from './url-cache.ts'
import type { RunWatch } from './watch-runs.ts'

type IngressContext = {
  publicUrl: string
  now: () => Date
  lifecycle: Lifecycle
  sourceAddress: SourceAddress
  log: Log
  metrics: EventMetrics & DeliveryMetrics
  urlCache: UrlCache
  bodyMemory: BodyMemory
  inbox: Inbox
  refusalLog: RefusalLog
  failures: FailureLimit
  backlog: Backlog
  runWatch: RunWatch
}

/**
 * `POST /hooks/<token>`, outside the framework: this route must keep up with storms. The order of the checks is the contract:
 * method, token and state, type, size, signature, JSON, handshake, duplicate, rate limit, commit.
 */
export function createIngress(ctx: IngressContext): Listener {
  return (request, response) => {
    receive(ctx, request, response).catch((error: unknown) => {
      const passes = isUnavailable(error) || ctx.lifecycle.phase === 'stopping'
      const requestId = newRequestId()
      if (!passes) ctx.log.error({ err: error, requestId }, 'delivery.failed')
      const answer = passes
        ? problem('unavailable', 'The database is not responding. Retry in a moment.', {
            headers: { 'retry-after': '2' },
          })
        : problem('internal-error', 'The server log has the details under this instance id.')
      refuseDelivery(ctx, response, { problem: answer }, '', requestId)
    })
  }
}

async function receive(
  ctx: IngressContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '', headers, socket } = request
  const source = ctx.sourceAddress(socket.remoteAddress, oneOf(headers['x-forwarded-for']))
  const refuse = (refused: RefusedDelivery) => refuseDelivery(ctx, response, refused, source)

  const origin = method === 'OPTIONS' ? oneOf(headers['webhook-request-origin']) : undefined
  const isProbe = method === 'HEAD'
  if (method !== 'POST' && origin === undefined && !isProbe) {
    // Only to list it on the page of the webhook.
    const webhook = await Promise.resolve(findWebhook(ctx.urlCache, url)).catch(() => null)
    return refuse({ problem: wrongMethod(method), ...(webhook && { webhook }) })
  }
  if (ctx.lifecycle.phase === 'stopping')
    return refuse({ problem: unavailable('Bellhop is stopping. Retry in a moment.', 5) })

  const found = findWebhook(ctx.urlCache, url)
  const webhook = found instanceof Promise ? await found : found
  if (!webhook) return refuse({ problem: isProbe ? wrongMethod(method) : unknownUrl(), isFailure: !isProbe })
  const closed = whyClosed(webhook)
  if (isProbe) {
    const isExpected = !closed && webhook.verification?.preset.handshake === 'head'
    return isExpected ? sendJson(response, {}) : refuse({ problem: wrongMethod(method) })
  }
  if (closed) return refuse({ problem: closed, webhook, isFailure: true })
  if (origin !== undefined) return sendJson(response, {}, allowSender(origin, webhook))

  const bodyKind = classifyContentType(
    headers['content-type'],
    headers['content-encoding'],
    webhook.verification?.preset.form,
  )
  if (!bodyKind) return refuse({ webhook, problem: wrongType(headers['content-encoding']) })

  const announced = announcedBytes(request)
  const reserved = ctx.bodyMemory.reserve(announced > webhook.maxBodyBytes ? 0 : announced)
  const reservation = reserved instanceof Promise ? await reserved : reserved
  if (!reservation) return refuse({ webhook, problem: outOfMemory() })
  let receipt: AcceptedReceipt | null
  // Not `using`, which costs a tenth of the throughput.
  try {
    receipt = await storeDelivery(ctx, { request, response, source, webhook, bodyKind, reservation })
  } finally {
    reservation.release()
  }
  if (!receipt) return
  const prefer = oneOf(headers.prefer)
  if (prefer !== undefined) return acknowledgeLater(ctx, prefer, response, receipt)
  sendReceipt(response, receipt, webhook.verification?.preset.receipt)
}

type AcceptedReceipt = Extract<Receipt, { eventId: string }>

type DeliveryInProgress = {
  request: IncomingMessage
  response: ServerResponse
  source: string
  webhook: CachedWebhook
  bodyKind: BodyKind
  reservation: Reservation
}

/** Reading, checking and storing such a body takes milliseconds each: others get their turn in between. */
const largeBodyBytes = 128 * 1024

/** Handles the delivery once the URL is known and there is room for it. Null if it was answered. */
async function storeDelivery(
  ctx: IngressContext,
  { request, response, source, webhook, bodyKind, reservation }: DeliveryInProgress,
): Promise<AcceptedReceipt | null> {
  const refuse = (refused: RefusedDelivery) => {
    refuseDelivery(ctx, response, { webhook, ...refused }, source)
    return null
  }
  const read = await readBody(request, webhook.maxBodyBytes, reservation)
  if (read.kind === 'no-memory') return refuse({ problem: outOfMemory() })
  // The sender hung up in the middle: there is nobody to answer, and half an event is useless.
  if (read.kind === 'cut') return null
  if (read.kind === 'too-large') {
    return refuse({ problem: tooLarge(webhook.maxBodyBytes) })
  }

  const sizeBytes = read.bytes.length
  const isLarge = sizeBytes > largeBodyBytes
  if (isLarge) await turn()
  const received: ReceivedDelivery = {
    method: 'POST',
    url: ctx.publicUrl + request.url,
    rawHeaders: request.rawHeaders,
    body: read.bytes,
    source,
    contentType: request.headers['content-type'] ?? null,
    bodyKind,
    now: ctx.now(),
  }
  const checked = checkDelivery(webhook, received)
  if (checked.kind === 'refused') {
    const isFailure = checked.problem.type === 'verification-failed'
    return refuse({
      sizeBytes,
      isFailure,
      request: received,
      problem: checked.problem,
      explain: checked.explain,
    })
  }
  if (webhook.isFormer) ctx.refusalLog.usedFormerToken({ hash: webhook.tokenHash, source })
  if (checked.kind === 'handshake') {
    const { body } = checked.answer
    if (body) sendJson(response, body)
    else sendEmpty(response)
    return null
  }

  const full = ctx.backlog.fullBecause()
  if (full) {
    return refuse({
      sizeBytes,
      problem: problem(full.problem, `${full.says} Retry later.`, { headers: { 'retry-after': '30' } }),
    })
  }
  if (isLarge) await turn()
  const receipt = await ctx.inbox.put(toNewEvent(webhook, received, checked))
  if (!('eventId' in receipt)) {
    if (receipt.outcome === 'disk-full') ctx.backlog.refuseUntilRoom()
    return refuse({ sizeBytes, problem: refusalOf(receipt, webhook) })
  }
  if (receipt.outcome === 'accepted') ctx.metrics.eventsAccepted.inc()
  return receipt
}

const maxWaitSeconds = 30

/** The commit is done: whatever happens now, the event is kept. */
async function acknowledgeLater(
  ctx: IngressContext,
  prefer: string,
  response: ServerResponse,
  { outcome: status, eventId, runId }: AcceptedReceipt,
): Promise<void> {
  const seconds = Math.min(preferredWait(prefer) ?? 0, maxWaitSeconds)
  if (seconds === 0) return sendJson(response, { status, eventId, runId })
  try {
    const run = await ctx.runWatch.outcome(eventId, seconds)
    sendJson(response, { status, eventId, runId, run }, { 'preference-applied': `wait=${seconds}` })
  } catch (error) {
    ctx.log.warn({ err: error, eventId }, 'delivery.wait_failed')
    sendJson(response, { status, eventId, runId })
  }
}

/** `node:http` joins a repeated header; by its types, any could be a list, as Set-Cookie is. */
function oneOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header
}

function findWebhook(urlCache: UrlCache, url: string): CachedWebhook | null | Promise<CachedWebhook | null> {
  const end = url.indexOf('?')
  const token = url.slice('/hooks/'.length, end < 0 ? undefined : end)
  return looksLikeToken(token) ? urlCache.find(token) : null
}

/** CloudEvents' validation request before the first delivery (its HTTP 1.1 web hooks, section 4). */
function allowSender(origin: string, { rateLimit }: CachedWebhook): Record<string, string> {
  return {
    allow: 'POST',
    'webhook-allowed-origin': origin,
    'webhook-allowed-rate': rateLimit ? String(Math.max(1, Math.floor(rateLimit.perSecond * 60))) : '*',
  }
}
