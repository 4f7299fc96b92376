import { type RawBuilder, sql } from 'kysely'

/** By what lists and figures know the model of a run, of a select from `runs`. An offline run names no model. */
export const modelKey = sql<string>`case when model_provider = 'offline' then 'offline' else model_name end`

/**
 * Subqueries for a `select`, so that rows contain the names of what they refer to. Each costs a lookup by primary key per row. The id must be
 * qualified (`e.source_id`): a bare `id` would be a column of the table inside the subquery.
 */

/** Null once it is deleted. */
export function sourceName(sourceId: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`(select name from event_sources where id = ${sourceId} and state <> 'deleted')`
}

/**
 * The name with a `#`. Every workspace has its own #general, so a channel outside the built-in workspace is followed by its workspace. Null for
 * a direct conversation, a deleted channel, and a private channel if the reader may not see those.
 */
export function channelName(
  channelId: RawBuilder<unknown>,
  { seesPrivate }: { seesPrivate: boolean },
): RawBuilder<string | null> {
  return sql`(
    select '#' || channels.name || case when platform = 'built-in' then '' else ' (' || workspaces.name || ')' end
    from channels join workspaces on workspaces.id = workspace_id
    where channels.id = ${channelId} and kind = 'channel' and channels.deleted_at is null and workspaces.deleted_at is null
      and (not is_private or ${seesPrivate}))`
}
