import { type RawBuilder, sql } from 'kysely'
import { emojiOf } from '../../shared/emoji.ts'
import type { Reaction } from './contract.ts'

export type ReactionRow = Omit<Reaction, 'emoji'>

/** How people reacted to a message, the first emoji first, for a `select`. The id must be qualified (`messages.id`). */
export function reactionsOf(messageId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select json_agg(json_build_object('name', name, 'people', people) order by since)
    from (
      select r.name, json_agg(json_build_object('id', r.person_id, 'name', r.person_name) order by r.reacted_at) as people,
        min(r.reacted_at) as since
      from reactions r where r.message_id = ${messageId} group by r.name) of_name)`
}

export function showReaction({ name, people }: ReactionRow): Reaction {
  return { name, emoji: emojiOf(name) ?? name, people }
}
