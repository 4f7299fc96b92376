import type { Db } from '../../../platform/db/database.ts'
import type { Actor } from '../../../shared/actor.ts'
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
  { sender, channel }: Pick<InboundMessage, 'sender' | 'channel'>,
): Promise<boolean> {
  if (user) return false
  if (sender.isForeign) return true
  if (!isPublic(workspace.platform)) return false
  return channel.kind === 'direct' || !(await isInUse(tx, workspace.id, channel.externalId))
}

/** Does not reveal where Bellhop is, since anybody may get it. */
export const strangerNotice =
  'I only answer people with a linked account. If you have an account in Bellhop, get a link code there under Settings, Your account, and send it to me in a direct message.'
