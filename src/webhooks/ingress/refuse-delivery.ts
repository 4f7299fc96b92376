import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { isCredential, selectHeaders } from '../../events/inbox/select-headers.ts'
import { type Problem, problem } from '../../http/problems.ts'
import type { Log } from '../../platform/log.ts'
import type { RefusedRequest } from '../store/refused-requests.ts'
import { announcedBytes, discard, discardedBytes } from './body/read-body.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import type { FailureLimit } from './failure-limit.ts'
import type { RefusalLog } from './refusal-log.ts'
import { sendProblem } from './send-answer.ts'
import type { CachedWebhook } from './url-cache.ts'

type Context = { failures: FailureLimit; metrics: DeliveryMetrics; refusalLog: RefusalLog; log: Log }

/** What was refused, which webhook it belongs to, and what the operator will read. */
export type RefusedDelivery = {
  problem: Problem
  webhook?: CachedWebhook
  /** Takes time, so it is not asked for each one. */
  explain?: (() => string) | undefined
  sizeBytes?: number
  /** What came, if it is worth a second check: its signature or its JSON is wrong. */
  request?: RefusedRequest
  isFailure?: boolean
}

/** The id that the sender's answer and the log line share. */
export function newRequestId(): string {
  return `req_${randomUUID()}`
}

/** Answers, counts, and stores what the operator will read about it. */
export function refuseDelivery(
  ctx: Context,
  response: ServerResponse,
  refused: RefusedDelivery,
  source: string,
  requestId = newRequestId(),
): void {
  const request = response.req
  const quietMs = refused.isFailure ? ctx.failures.count(source) : 0
  const answer =
    quietMs > 0
      ? problem(
          'too-many-requests',
          'Too many failed deliveries from this address. Check the URL and the secret.',
          {
            headers: { 'retry-after': String(Math.ceil(quietMs / 1000)) },
          },
        )
      : refused.problem
  ctx.metrics.deliveriesRefused.inc({ problem: answer.type })
  const { webhook } = refused
  if (webhook && webhook.state !== 'deleted') {
    ctx.refusalLog.refused(webhook.webhookId, (mayExamine) => {
      const reason = reasonOf(refused, mayExamine)
      ctx.log.info(
        { webhookId: webhook.webhookId, source, problem: answer.type, reason, requestId },
        'delivery.refused',
      )
      return {
        status: answer.status,
        problem: answer.type,
        reason,
        source,
        headers: shownHeaders(request.rawHeaders, webhook.verification?.headers ?? []),
        contentType: request.headers['content-type']?.slice(0, 300) ?? null,
        sizeBytes: refused.sizeBytes ?? null,
        request: refused.request,
      }
    })
  }
  const send = () => sendProblem(response, answer, requestId)
  // After its last answer a connection is closed, and a sender that writes everything before it reads would not see the answer.
  const isWaiting = request.headers.expect !== undefined || announcedBytes(request) > discardedBytes
  const mayAnswer = request.complete || response.shouldKeepAlive || isWaiting
  if (mayAnswer) send()
  else request.once('end', send)
  discard(request)
}

function reasonOf({ problem: { message }, explain }: RefusedDelivery, mayExamine: () => boolean): string {
  if (!explain) return message
  return mayExamine()
    ? explain()
    : 'The signature or secret is missing or wrong. Too many deliveries failed in the same second to examine this one. Other entries in this list say more.'
}

/** For the operator: the event headers; credentials and signatures only by name. */
function shownHeaders(rawHeaders: readonly string[], proofs: readonly string[]): Record<string, string> {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const masked = names
    .filter((name) => isCredential(name) || proofs.includes(name))
    .map((name) => [name, '••••'])
  return { ...selectHeaders(rawHeaders, [], proofs), ...Object.fromEntries(masked) }
}
