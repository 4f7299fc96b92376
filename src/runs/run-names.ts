import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../actor.ts'
import { maySeePrivate } from '../chat/visible-to.ts'
import { channelName, webhookName } from '../names.ts'

/** Columns for a `select` from runs; `runs` is the name of the table there. */
export function runNames(actor: Actor, runs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${webhookName(sql`${runs}.webhook_id`)} as webhook_name,
    ${channelName(sql`${runs}.channel_id`, { seesPrivate: maySeePrivate(actor) })} as channel_name`
}
