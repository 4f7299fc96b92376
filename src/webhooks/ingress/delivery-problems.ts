import type { Receipt } from '../../events/inbox/new-event.ts'
import { type Problem, problem } from '../../http/problems.ts'
import { isEncoded } from './body/classify-content-type.ts'
import type { CachedWebhook } from './url-cache.ts'

export function whyClosed(webhook: CachedWebhook): Problem | null {
  if (webhook.closesAtMs <= performance.now()) return unknownUrl()
  if (webhook.state === 'deleted')
    return problem('webhook-deleted', 'This webhook was deleted. Stop sending to this URL.')
  if (webhook.state === 'inactive') {
    return problem('webhook-inactive', 'This webhook is switched off. Activate it in the dashboard.')
  }
  return null
}

export function wrongMethod(method: string): Problem {
  const redirected =
    method === 'GET'
      ? ' If the sender does send POST, a redirect (for example from http to https) turned it into GET: enter the address that the redirect leads to.'
      : ''
  return problem('method-not-allowed', `This URL accepts POST, not ${method}.${redirected}`, {
    headers: { allow: 'POST' },
  })
}

export function unknownUrl(): Problem {
  return problem(
    'webhook-not-found',
    'No webhook has this URL. Check that it was copied completely (the dashboard masks it until you press "Show full URL"), with nothing after it, not even a slash or a space, and that it was not rotated.',
  )
}

export function wrongType(contentEncoding: string | undefined): Problem {
  return problem(
    'unsupported-media-type',
    isEncoded(contentEncoding)
      ? 'Compressed bodies are not accepted. Send the body without Content-Encoding.'
      : "Send JSON with the header Content-Type: application/json. With curl: -H 'Content-Type: application/json'.",
  )
}

export function tooLarge(maxBytes: number): Problem {
  return problem(
    'body-too-large',
    `The body is larger than ${sizeInWords(maxBytes)}, the limit of this webhook. Send a smaller body, or raise the maximum body size in the settings of the webhook.`,
  )
}

/** As the dashboard writes it where the limit is set. */
function sizeInWords(bytes: number): string {
  if (bytes % 1024 ** 2 === 0) return `${bytes / 1024 ** 2} MB`
  if (bytes % 1024 === 0) return `${bytes / 1024} KB`
  return `${bytes} bytes`
}

export function unavailable(detail: string, seconds: number): Problem {
  return problem('unavailable', detail, { headers: { 'retry-after': String(seconds) } })
}

export function outOfMemory(): Problem {
  return unavailable('Too many large deliveries are arriving at once. Retry in a moment.', 2)
}

export function refusalOf(
  receipt: Exclude<Receipt, { eventId: string }>,
  { rateLimit }: CachedWebhook,
): Problem {
  switch (receipt.outcome) {
    case 'conflict':
      return problem(
        'delivery-conflict',
        'This idempotency key was already used with a different body. Use a new key, or send the same body again.',
      )
    case 'unavailable':
      return unavailable('The event could not be stored. Retry in a moment.', 2)
    case 'disk-full':
      return problem('disk-full', 'There is no space left on the disk of the database. Retry later.', {
        headers: { 'retry-after': '30' },
      })
    case 'limited': {
      const seconds = Math.max(1, Math.ceil(receipt.retryAfterMs / 1000))
      const { perSecond, burst } = rateLimit ?? { perSecond: 1, burst: 1 }
      const window = Math.max(1, Math.ceil(burst / perSecond))
      return problem(
        'rate-limited',
        `This webhook is over its rate limit. Retry in ${seconds} s, or ask an admin to raise the limit.`,
        {
          headers: {
            'retry-after': String(seconds),
            ratelimit: `"webhook";r=0;t=${seconds}`,
            'ratelimit-policy': `"webhook";q=${burst};w=${window}`,
          },
        },
      )
    }
  }
}
