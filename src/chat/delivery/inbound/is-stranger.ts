import type { Db } from '../../../platform/db/database.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { WorkspaceId } from '../../../shared/ids.ts'
import type { Cache } from '../../cache.ts'
import { isInUse } from '../../channels/store.ts'
import type { InboundMessage } from '../../platforms/platform.ts'
import { isPublic } from '../../workspaces/contract.ts'
import type { WorkspaceRow } from '../../workspaces/store.ts'

/**
 * Read tools run without approval, so whoever gets an answer can read with them. On most platforms a workspace belongs to a
 * company, which admits its people. Where everybody can write to a bot, a known person must have added it.
 */
export async function isStranger(
  tx: Db,
  workspace: Pick<WorkspaceRow, 'id' | 'platform'>,
  user: Actor | null,
  { sender, channel }: InboundMessage,
): Promise<boolean> {
  if (user) return false
  if (sender.isForeign) return true
  if (!isPublic(workspace.platform)) return false
  return channel.kind === 'direct' || !(await isInUse(tx, workspace.id, channel.externalId))
}

/** The answer to a stranger who addresses us; null if it was given recently, so that nobody makes us repeat it endlessly. */
export async function answerStranger(
  { chatCache }: { chatCache: Cache },
  workspaceId: WorkspaceId,
  { sender, channel, addressed }: InboundMessage,
): Promise<string | null> {
  if (!addressed) return null
  let isFirst = channel.kind === 'direct'
  const key = `stranger ${workspaceId} ${channel.externalId} ${sender.id}`
  await chatCache.getOrFetch(key, repeatAfterMs, async () => {
    isFirst = true
  })
  return isFirst ? strangerNotice : null
}

const repeatAfterMs = 10 * 60_000
/** Does not reveal where Bellhop is, since anybody may get it. */
const strangerNotice =
  'I only answer people with a linked account. If you have an account in Bellhop, get a link code there under Settings, Your account, and send it to me in a direct message.'
