import type { Db } from '../../platform/db/database.ts'
import { newId } from '../../shared/ids.ts'
import type { NewPost } from '../chat.ts'
import { findRoot, insertMessage, type MessageRow } from '../store.ts'

type Written = NewPost & { authorName: string; delivery: 'sending' | 'sent'; now: Date }

/** Stores a message of Bellhop's own. Null if there is one under this key already, or the channel is deleted. */
export async function writePost(
  db: Db,
  { threadId, key, author = 'agent', now, ...post }: Written,
): Promise<MessageRow | null> {
  const root = threadId === null ? null : await findRoot(db, threadId)
  return insertMessage(db, {
    ...post,
    id: newId('message', now),
    threadId: root?.id ?? null,
    authorKind: author,
    authorId: null,
    postKey: key,
  })
}
