import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../actor.ts'
import { visibleTo } from '../chat/visible-to.ts'

/**
 * The `where` of every read of `runs` for an actor: direct messages to the agent stay between the person and the agent, and what
 * happens in a private channel stays there.
 */
export function runVisibleTo(actor: Actor): RawBuilder<unknown> {
  return visibleTo(actor, sql`channel_id`, sql`requester ->> 'id'`)
}
