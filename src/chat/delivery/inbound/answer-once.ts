import type { WorkspaceId } from '../../../shared/ids.ts'
import type { Cache } from '../../cache.ts'
import type { InboundMessage } from '../../platforms/platform.ts'

const repeatAfterMs = 10 * 60_000

/**
 * The notice for a person who addresses us and gets no answer; null if they were given one in this channel recently, so that nobody
 * makes us repeat it endlessly.
 */
export async function answerOnce(
  { chatCache }: { chatCache: Cache },
  workspaceId: WorkspaceId,
  { sender, channel, addressed }: InboundMessage,
  notice: string,
): Promise<string | null> {
  if (!addressed) return null
  let isFirst = channel.kind === 'direct'
  const key = `notice ${workspaceId} ${channel.externalId} ${sender.id}`
  await chatCache.getOrFetch(key, repeatAfterMs, async () => {
    isFirst = true
  })
  return isFirst ? notice : null
}
