import type { Db } from '../../platform/db/database.ts'
import type { Audit } from '../../shared/audit.ts'
import type { WorkspaceId } from '../../shared/ids.ts'
import type { InboundMessage } from '../platforms/platform.ts'
import { hashLinkCode } from './link-code.ts'
import { findUser, recordGuess, saveIdentity, spendCode } from './store.ts'

const notValid = 'This code is no longer valid. Get a new one in the dashboard.'
const linkRequest = /^\s*(?:@bellhop\s+)?\/?(?:start\s+)?link[\s_]+([a-z0-9-]{6,12})\s*$/i

/**
 * "link ABCD2345" in a direct message links the chat account to the user who got this code in the dashboard. Returns the answer
 * to the sender; null if the message is something else.
 */
export async function readLinkRequest(
  { audit }: { audit: Audit },
  tx: Db,
  workspaceId: WorkspaceId,
  sender: { id: string; name: string },
  { channel, text }: InboundMessage,
): Promise<string | null> {
  const code = text.match(linkRequest)?.[1]
  if (!code || channel.kind !== 'direct') return null
  if (!(await recordGuess(tx, workspaceId, sender.id)))
    return 'Too many codes. Wait ten minutes, then get a new one.'
  const userId = await spendCode(tx, hashLinkCode(code))
  const user = userId && (await findUser(tx, userId))
  if (!user) return notValid
  const identity = { workspaceId, externalId: sender.id, userId: user.id, name: sender.name }
  if (!(await saveIdentity(tx, { ...identity, linkedBy: user.id }))) return notValid
  await audit(tx, { actor: user, action: 'chat_account.linked', subject: user.id, detail: identity })
  return `Done: this chat account is linked to ${user.name} (${user.role}).`
}
