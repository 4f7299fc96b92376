import { sql } from 'kysely'
import type { Actor } from '../../shared/actor.ts'

/** Of messages `m` in the channel `c` that is read up to `r`. */
export const unreadBy = (reader: Actor) =>
  sql`m.channel_id = c.id and m.created_seq > coalesce(r.seq, 0) and m.author_id is distinct from ${reader.id}
    and m.deleted_at is null`

/** A notice that a run failed, or a reply that was begun before it did. */
const saysFailed = sql`m.post_key in (m.run_id, m.run_id || ':final') and not m.is_reply
  and (m.author_kind = 'system' or exists (select from runs f where f.id = m.run_id and f.status = 'failed'))`

/** Whoever never opens a busy channel does not make this slow: older ones are not looked at. */
const mostLookedAt = 500

export const latestUnread = (reader: Actor) => sql`(
  select m.id, m.text, coalesce(${saysFailed}, false) as says_failed from messages m
  where ${unreadBy(reader)} order by m.created_seq desc limit ${mostLookedAt})`

/** For a reader who wants only mentions and these: how many unread messages say that a run failed. */
export const unreadFailures = (reader: Actor) => sql`
  case when r.notify = 'mentions'
    then (select count(*)::int from ${latestUnread(reader)} latest where latest.says_failed) else 0 end`
