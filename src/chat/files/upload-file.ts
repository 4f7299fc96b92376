import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import { type ChannelId, newId } from '../../shared/ids.ts'
import type { FileShape } from './contract.ts'
import { readFile } from './read-file.ts'
import { countUnsent, insertFile } from './store.ts'

/** More of one person wait for a message only by mistake. */
const mostUnsent = 50

/** In the built-in workspace. Read at once, so that its author learns what the agent will not be able to read. */
export async function uploadFile(
  { db }: { db: Db },
  actor: Actor,
  channelId: ChannelId,
  name: string,
  content: Buffer,
): Promise<FileShape> {
  if (content.length === 0) throw problem('invalid-request', 'The file is empty. Send its bytes as the body.')
  if ((await countUnsent(db, actor.id)) >= mostUnsent)
    throw problem(
      'too-many-requests',
      `You have uploaded ${mostUnsent} files without sending them. Send or drop some.`,
    )
  const reading = await readFile(name, content)
  const id = newId('file')
  const sizeBytes = content.length
  await insertFile(db, {
    ...{ id, channelId, messageId: null, position: 0, name, sizeBytes, reading, content },
    uploadedBy: actor.id,
  })
  return { id, name, sizeBytes, mediaType: reading.mediaType, problem: reading.problem }
}
