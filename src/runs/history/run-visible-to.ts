import { type RawBuilder, sql } from 'kysely'
import { visibleTo } from '../../chat/visible-to.ts'
import type { Actor } from '../../shared/actor.ts'

/**
 * The `where` of every read of `runs` for an actor: direct messages to the agent stay between the person and the agent, and what
 * happens in a private channel stays there.
 */
export function runVisibleTo(actor: Actor): RawBuilder<unknown> {
  return visibleTo(actor, sql`channel_id`, sql`requester ->> 'id'`)
}
