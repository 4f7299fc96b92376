import { type RawBuilder, sql } from 'kysely'
import { thumbsOf } from '../../chat/thumbs/thumbs-of.ts'
import { maySeePrivate } from '../../chat/visible-to.ts'
import type { Actor } from '../../shared/actor.ts'
import { channelName, sourceName } from '../../shared/display-names.ts'
import { runSpans } from './run-spans.ts'

/** Columns for a `select` from runs; `runs` is the name of the table there. */
export function runNames(actor: Actor, runs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${sourceName(sql`${runs}.source_id`)} as source_name,
    ${channelName(sql`${runs}.channel_id`, { seesPrivate: maySeePrivate(actor) })} as channel_name, ${runSpans(runs)},
    coalesce((select json_agg(name order by first) from (
      select name, min(id) as first from tool_calls where run_id = ${runs}.id group by name) called), '[]') as called_tools,
    case when exists (select from messages where run_id = ${runs}.id and is_reply) then ${thumbsOf(sql`${runs}.id`)} end as thumbs`
}
