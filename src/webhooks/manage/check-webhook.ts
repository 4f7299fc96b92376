import { isCredential } from '../../events/inbox/select-headers.ts'
import { invalidField, problem } from '../../http/problems.ts'
import { type Actor, mayActAs } from '../../shared/actor.ts'
import type { WebhookFields } from '../store/webhooks.ts'
import { resolveSchemes } from '../verification/resolve-schemes.ts'

type Limits = Pick<WebhookFields, 'ceiling' | 'readsAcross' | 'rateLimit'>

/** Only an admin may raise limits or allow destructive tools. */
export function refuseBeyondRole(actor: Actor, after: Limits, before: Limits): void {
  if (mayActAs(actor, 'admin')) return
  if (after.ceiling === 'destructive' && before.ceiling !== 'destructive') {
    throw problem('forbidden', 'Only an admin may set the ceiling to destructive.')
  }
  if (after.readsAcross === 'all' && before.readsAcross === 'one') {
    throw problem('forbidden', 'Only an admin may let the runs of a webhook read across connectors again.')
  }
  const [now, then] = [after.rateLimit, before.rateLimit]
  if (now?.perSecond !== then?.perSecond || now?.burst !== then?.burst) {
    throw problem('forbidden', 'Only an admin may change the rate limit of a webhook.')
  }
}

/** A secret sent in plain text must not be readable on the page of an event: secrets can be set but not read. */
export function refuseShownSecret({
  verification,
  exposeHeaders,
}: Pick<WebhookFields, 'verification' | 'exposeHeaders'>): void {
  const carriers = (verification ? resolveSchemes(verification) : [])
    .filter(({ algorithm }) => algorithm === 'equality')
    .map(({ header }) => header.toLowerCase())
  const shown = exposeHeaders.findIndex(
    (name) => carriers.includes(name.toLowerCase()) && !isCredential(name),
  )
  if (shown < 0) return
  throw invalidField(
    `/exposeHeaders/${shown}`,
    'This header carries the secret, and its name does not tell Bellhop to hide it. Leave it out, or send the secret in a header such as X-Webhook-Secret.',
  )
}
