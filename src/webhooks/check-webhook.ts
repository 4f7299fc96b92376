import { type Actor, mayActAs } from '../actor.ts'
import type { ChannelId, ConnectorId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import { invalidField, problem } from '../problems.ts'
import { channelExists, connectorsAmong, type WebhookFields } from './store/webhooks.ts'

type Limits = Pick<WebhookFields, 'ceiling' | 'rateLimit'>

/** Higher limits and destructive tools are an admin's to give. */
export function refuseBeyondRole(actor: Actor, after: Limits, before: Limits): void {
  if (mayActAs(actor, 'admin')) return
  if (after.ceiling === 'destructive' && before.ceiling !== 'destructive') {
    throw problem('forbidden', 'Only an admin may set the ceiling to destructive.')
  }
  const [now, then] = [after.rateLimit, before.rateLimit]
  if (now?.perSecond !== then?.perSecond || now?.burst !== then?.burst) {
    throw problem('forbidden', 'Only an admin may change the rate limit of a webhook.')
  }
}

export async function refuseMissingChannel(db: Db, channelId: ChannelId): Promise<void> {
  if (await channelExists(db, channelId)) return
  throw invalidField('/channelId', 'There is no such channel. Choose one from GET /api/v1/channels.')
}

/** One that was listed before and is deleted by now may stay: it gives nothing to anybody. */
export async function refuseMissingConnectors(
  db: Db,
  ids: readonly ConnectorId[] | null,
  listed: readonly ConnectorId[] | null = null,
): Promise<void> {
  const asked = (ids ?? []).filter((id) => !listed?.includes(id))
  if (asked.length === 0) return
  const found = await connectorsAmong(db, asked)
  const missing = asked.find((id) => !found.has(id))
  if (missing === undefined) return
  throw invalidField(
    `/connectorIds/${ids?.indexOf(missing)}`,
    'There is no such connector. Choose one from GET /api/v1/connectors.',
  )
}
