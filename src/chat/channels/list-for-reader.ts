import { toPage } from '../../http/paging.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Channel } from '../contract.ts'
import { renderChannel } from '../messages/render-message.ts'
import { type ChannelFilter, listChannels } from './store.ts'
import { countNews, listMentions } from './unread.ts'

/** Channels with what is unread, starred and chosen by their reader. */
export async function listForReader(
  db: Db,
  of: ChannelFilter,
): Promise<{ items: Channel[]; nextCursor: string | null }> {
  const page = toPage(await listChannels(db, of), of.limit)
  const ids = page.items.map(({ id }) => id)
  const named = await listMentions(db, of.reader, ids)
  return {
    ...page,
    items: page.items.map((row) => renderChannel({ ...row, ...countNews(row, named) }, of.reader)),
  }
}
