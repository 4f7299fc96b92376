import { z } from 'zod'
import { readThumb } from '../../thumbs/read-thumb.ts'
import type { Connection } from '../connection.ts'
import type { InboundThumb } from '../platform.ts'
import { nameOf, personShape } from './read-discord-content.ts'
import { readPlace } from './read-place.ts'

const reactionShape = z.looseObject({
  user_id: z.string(),
  channel_id: z.string(),
  message_id: z.string(),
  emoji: z.looseObject({ id: z.string().nullish(), name: z.string().nullish() }),
  /** Only in servers, and only when it is added. */
  member: z.looseObject({ user: personShape }).optional().catch(undefined),
})

/** Null for reactions that rate nothing. It has no id of its own, so `key` tells one from another. */
export async function readReaction(
  connection: Connection,
  content: unknown,
  { key, isRemoved }: { key: string; isRemoved: boolean },
): Promise<InboundThumb | null> {
  const reaction = reactionShape.safeParse(content).data
  const thumb = reaction && !reaction.emoji.id && readThumb(reaction.emoji.name ?? '')
  if (!thumb || reaction.user_id === connection.settings.botUserId) return null
  const { channel, kind, thread } = await readPlace(connection, reaction.channel_id)
  return {
    kind: 'thumb',
    key,
    externalId: reaction.message_id,
    rating: { thumb },
    isWithdrawn: isRemoved,
    sender: { id: reaction.user_id, name: reaction.member ? nameOf(reaction.member.user) : null },
    channel: { externalId: channel, name: null, kind },
    thread,
  }
}
