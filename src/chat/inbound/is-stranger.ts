import type { Actor } from '../../actor.ts'
import type { WorkspaceId } from '../../ids.ts'
import type { Db } from '../../platform/db/database.ts'
import { isInUse } from '../channels/store.ts'
import type { Memory } from '../memory.ts'
import type { InboundMessage } from '../platform.ts'
import { isPublic } from '../workspaces/contract.ts'
import type { WorkspaceRow } from '../workspaces/store.ts'

/**
 * Read tools run without asking, so whoever is answered can read with them. Elsewhere the workspace is a company's own and its people
 * are let in by it; where everybody can write to a bot, somebody who is known must have brought it there.
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

/** What a stranger is told who means us; null where it was told just now, so that nobody makes us repeat it without end. */
export async function answerStranger(
  { chatMemory }: { chatMemory: Memory },
  workspaceId: WorkspaceId,
  { sender, channel, addressed }: InboundMessage,
): Promise<string | null> {
  if (!addressed) return null
  let isFirst = channel.kind === 'direct'
  const key = `stranger ${workspaceId} ${channel.externalId} ${sender.id}`
  await chatMemory.remember(key, toldForMs, async () => {
    isFirst = true
  })
  return isFirst ? toStranger : null
}

const toldForMs = 10 * 60_000
/** Says nothing about where Bellhop is: it is told to anybody. */
const toStranger =
  'I answer only people whom I know. If you have an account in Bellhop, get a link code there under Settings, Your account, and send it to me in a direct message.'
