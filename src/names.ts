import { type RawBuilder, sql } from 'kysely'

/**
 * Names for a `select`, so that a list says what its rows speak of. They are read where they are asked for: a look at a primary key for
 * each row that is shown. An id is given with the name of its table: a bare `id` would be that of the table in here.
 */

/** Null once it is deleted. */
export function webhookName(webhookId: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`(select name from webhooks where id = ${webhookId} and state <> 'deleted')`
}

/**
 * As people write it. Each workspace has a #general of its own, so what is not ours says whose it is. Null for a direct conversation, for
 * what is gone, and for a private channel where the reader may not see any.
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
