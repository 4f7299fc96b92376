import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../actor.ts'
import { maySeePrivate } from '../chat/visible-to.ts'
import { channelName, webhookName } from '../names.ts'

/** For a `select` of runs, under this name. */
export function runNames(actor: Actor, runs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${webhookName(sql`${runs}.webhook_id`)} as webhook_name,
    ${channelName(sql`${runs}.channel_id`, { seesPrivate: maySeePrivate(actor) })} as channel_name`
}
