import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import type { ChannelId, MessageId } from '../../shared/ids.ts'
import { namePattern } from '../../shared/name-pattern.ts'
import { mapOutsideCode } from '../text/map-outside-code.ts'
import { builtInWorkspaceId, type Listed, listedFor, type ReaderView } from './store.ts'
import { latestUnread, unreadBy, unreadFailures } from './unread-by.ts'

type Mention = { channelId: ChannelId; id: MessageId }

/** Those with unread messages that count, but for mentions. */
export async function listUnreadChannels(db: Db, reader: Actor): Promise<ChannelId[]> {
  const { rows } = await sql<{ id: ChannelId }>`
    select c.id
    from channels c
    join workspaces w on w.id = c.workspace_id
    left join read_marks r on r.channel_id = c.id and r.user_id = ${reader.id}
    where ${listedFor(reader)}
      and case coalesce(r.notify, 'all')
        when 'all' then (select true from messages m where ${unreadBy(reader)} order by m.created_seq desc limit 1)
        else ${unreadFailures(reader)} > 0 end`.execute(db)
  return rows.map(({ id }) => id)
}

/** The unread messages of these channels, or of all, that name the reader and count, latest first; 100 means 100 or more. Other platforms notify people themselves. */
export async function listMentions(
  db: Db,
  reader: Actor,
  channelIds: readonly ChannelId[] | null,
): Promise<Mention[]> {
  const { rows } = await sql<Mention & { text: string }>`
    select c.id as channel_id, m.id, m.text
    from channels c
    join workspaces w on w.id = c.workspace_id
    left join read_marks r on r.channel_id = c.id and r.user_id = ${reader.id}
    cross join lateral ${latestUnread(reader)} m
    where c.workspace_id = ${builtInWorkspaceId} and (${channelIds}::text[] is null or c.id = any(${channelIds}))
      and ${listedFor(reader)} and r.notify is distinct from 'muted'
      and position(lower(${`@${reader.name}`}) in lower(m.text)) > 0
    order by m.id desc limit 100`.execute(db)
  if (rows.length === 0) return []
  // `@Ann Lee` names somebody else than `@Ann`.
  const { rows: alike } = await sql<{ name: string }>`
    select name from users where starts_with(lower(name), lower(${reader.name}))`.execute(db)
  const pattern = namePattern([reader.name, ...alike.map(({ name }) => name)].map((name) => `@${name}`))
  return rows.filter(({ text }) => isNamed(`@${reader.name}`, pattern, text))
}

/** What counts as unread by the level that the reader has chosen. */
export function countNews(
  { id, notify, unread, failures }: Listed,
  named: Mention[],
): Pick<ReaderView, 'counted' | 'mentions'> {
  const mentions = named.filter(({ channelId }) => channelId === id).length
  const counted = { all: unread, mentions: mentions + failures, muted: 0 }
  return { counted: counted[notify], mentions }
}

/** As the dashboard marks names. */
function isNamed(name: string, pattern: RegExp, text: string): boolean {
  let found = false
  mapOutsideCode(text, (words) => {
    found ||= words.match(pattern)?.some((one) => one.toLowerCase() === name.toLowerCase()) ?? false
    return words
  })
  return found
}
