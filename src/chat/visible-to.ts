import { type RawBuilder, sql } from 'kysely'
import { type Actor, mayActAs } from '../actor.ts'

/**
 * A direct conversation is for the person who has it, and for admins. `person` is who wrote: a user's id or, from a time before the
 * chat account was linked, the workspace and the account.
 */
export function visibleTo(
  actor: Actor,
  channelId: RawBuilder<unknown>,
  person: RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (mayActAs(actor, 'admin')) return sql`true`
  return sql`(
    ${channelId} is null or ${channelId} not in (select id from channels where kind = 'direct') or ${person} = ${actor.id}
    or ${person} in (select workspace_id || ':' || external_id from chat_identities where user_id = ${actor.id}))`
}
