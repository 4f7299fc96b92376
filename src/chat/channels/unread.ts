import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import type { ChannelId, MessageId } from '../../shared/ids.ts'
import { mapOutsideCode } from '../text/map-outside-code.ts'
import { builtInWorkspaceId, listedFor, unreadBy } from './store.ts'

type Mention = { channelId: ChannelId; id: MessageId }

export async function countUnreadChannels(db: Db, reader: Actor): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from channels c
    join workspaces w on w.id = c.workspace_id
    left join read_marks r on r.channel_id = c.id and r.user_id = ${reader.id}
    where ${listedFor(reader)} and exists (select from messages m where ${unreadBy(reader)})`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * The unread messages that name the reader, latest first; 100 means 100 or more. Other platforms notify people themselves. The
 * search index finds those with the words of the name, however much is unread.
 */
export async function listMentions(db: Db, reader: Actor): Promise<Mention[]> {
  const { rows } = await sql<Mention & { text: string }>`
    select m.channel_id, m.id, left(m.text, 20000) as text
    from messages m
    join channels c on c.id = m.channel_id
    join workspaces w on w.id = c.workspace_id
    left join read_marks r on r.channel_id = c.id and r.user_id = ${reader.id}
    where to_tsvector('simple', left(m.text, 20000)) @@ plainto_tsquery('simple', ${reader.name})
      and position(${`@${reader.name}`.toLowerCase()} in lower(m.text)) > 0
      and c.workspace_id = ${builtInWorkspaceId} and ${listedFor(reader)} and ${unreadBy(reader)}
    order by m.id desc limit 100`.execute(db)
  if (rows.length === 0) return []
  const { rows: longer } = await sql<{ name: string }>`
    select name from users where starts_with(lower(name), ${reader.name.toLowerCase()}) order by length(name) desc`.execute(
    db,
  )
  const names = new Set([...longer.map(({ name }) => name), reader.name])
  return rows.filter(({ text }) => isNamed(reader.name, names, text))
}

/** As the dashboard marks names: `@Ann Lee` names somebody else than `@Ann`. `names`: the longest first. */
function isNamed(name: string, names: Iterable<string>, text: string): boolean {
  const anyName = [...names].map(RegExp.escape).join('|')
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_@#/.-])@(${anyName})(?![\\p{L}\\p{N}_-])`, 'giu')
  let found = false
  mapOutsideCode(text, (words) => {
    found ||= [...words.matchAll(pattern)].some(([, one]) => one?.toLowerCase() === name.toLowerCase())
    return words
  })
  return found
}
