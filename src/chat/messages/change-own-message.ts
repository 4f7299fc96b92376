import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import type { MessageId } from '../../shared/ids.ts'
import { getChannel } from '../channels/manage-channels.ts'
import { dropFiles } from '../files/store.ts'
import { dropReactions } from '../reactions/change-reaction.ts'
import { changeMessage, findMessage, type MessageRow } from '../store.ts'

type Context = { db: Db; now: () => Date }

/** Stands for a text that its author deleted. */
const deletedNote = '(deleted)'

/**
 * The author changes or deletes a message in the built-in workspace. No run starts or ends: what the agent has read stays with its
 * run.
 */
export async function changeOwnMessage(
  { db, now }: Context,
  actor: Actor,
  id: MessageId,
  change: { text: string } | 'delete',
): Promise<MessageRow> {
  const message = await findMessage(db, id)
  if (!message || message.deletedAt) throw missing()
  const channel = await getChannel(db, actor, message.channelId)
  if (message.authorKind !== 'user' || message.authorId !== actor.id)
    throw problem('forbidden', 'Only its author can change or delete a message.')
  if (channel.platform !== 'built-in') {
    throw problem('invalid-request', `This message is in ${channel.workspaceName}. Change it there.`)
  }
  if (change === 'delete') await dropReactions(db, id)
  const changed = await changeMessage(
    db,
    id,
    change === 'delete' ? { text: deletedNote, deletedAt: now() } : { text: change.text, editedAt: now() },
  )
  if (!changed) throw missing()
  if (change === 'delete') await dropFiles(db, id)
  return changed
}

const missing = () => problem('not-found', 'There is no such message.')
