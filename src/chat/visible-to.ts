import { type RawBuilder, sql } from 'kysely'
import { type Actor, mayActAs } from '../shared/actor.ts'

/** Members may not see a platform's private channels: we do not know who of them is in which. Operators choose channels for webhooks. */
export function maySeePrivate(actor: Actor): boolean {
  return mayActAs(actor, 'operator')
}

/**
 * A direct conversation is visible to its person and to admins; a private channel also to operators. `person` is who asked: a
 * user's id or, from before the chat account was linked, the workspace and the account.
 */
export function visibleTo(
  actor: Actor,
  channelId: RawBuilder<unknown>,
  person: RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (mayActAs(actor, 'admin')) return sql`true`
  const closed = maySeePrivate(actor) ? sql`kind = 'direct'` : sql`(kind = 'direct' or is_private)`
  return sql`(
    ${channelId} is null or ${channelId} not in (select id from channels where ${closed}) or ${person} = ${actor.id}
    or ${person} in (select workspace_id || ':' || external_id from chat_identities where user_id = ${actor.id}))`
}
