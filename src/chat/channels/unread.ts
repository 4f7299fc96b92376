import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import type { ChannelId, MessageId } from '../../shared/ids.ts'
import { namePattern } from '../../shared/name-pattern.ts'
import { mapOutsideCode } from '../text/map-outside-code.ts'
import { builtInWorkspaceId, listedFor, unreadBy } from './store.ts'

type Mention = { channelId: ChannelId; id: MessageId }

export async function countUnreadChannels(db: Db, reader: Actor): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from channels c
    join workspaces w on w.id = c.workspace_id
    left join read_marks r on r.channel_id = c.id and r.user_id = ${reader.id}
    where ${listedFor(reader)}
      and (select true from messages m where ${unreadBy(reader)} order by m.created_seq desc limit 1)`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Whoever never opens a busy channel does not make this slow: older ones are not looked at. */
const latestUnread = 500

/** The unread messages that name the reader, latest first; 100 means 100 or more. Other platforms notify people themselves. */
export async function listMentions(db: Db, reader: Actor): Promise<Mention[]> {
  const { rows } = await sql<Mention & { text: string }>`
    select c.id as channel_id, m.id, m.text
    from channels c
    join workspaces w on w.id = c.workspace_id
    left join read_marks r on r.channel_id = c.id and r.user_id = ${reader.id}
    cross join lateral (
      select m.id, m.text from messages m where ${unreadBy(reader)} order by m.created_seq desc limit ${latestUnread}) m
    where c.workspace_id = ${builtInWorkspaceId} and ${listedFor(reader)}
      and position(lower(${`@${reader.name}`}) in lower(m.text)) > 0
    order by m.id desc limit 100`.execute(db)
  if (rows.length === 0) return []
  // `@Ann Lee` names somebody else than `@Ann`.
  const { rows: alike } = await sql<{ name: string }>`
    select name from users where starts_with(lower(name), lower(${reader.name}))`.execute(db)
  const pattern = namePattern([reader.name, ...alike.map(({ name }) => name)].map((name) => `@${name}`))
  return rows.filter(({ text }) => isNamed(`@${reader.name}`, pattern, text))
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
