import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import type { FileId } from '../../shared/ids.ts'
import { getChannel } from '../channels/manage-channels.ts'
import { findContent } from './store.ts'

/** An image is shown; anything else is saved to a file, and never run by the browser, whatever it claims to be. */
export async function serveFile(db: Db, actor: Actor, id: FileId): Promise<Response> {
  const file = await findContent(db, id)
  if (!file || (file.messageId === null && file.uploadedBy !== actor.id)) throw missing()
  await getChannel(db, actor, file.channelId)
  const isImage = file.mediaType?.startsWith('image/') ?? false
  return new Response(Uint8Array.from(file.content), {
    headers: {
      'content-type': isImage && file.mediaType ? file.mediaType : 'application/octet-stream',
      'content-disposition': `${isImage ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(file.name).replaceAll("'", '%27')}`,
      'cache-control': 'private, max-age=3600',
    },
  })
}

const missing = () => problem('not-found', 'There is no such file.')
