import { sql } from 'kysely'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import { emojiOf, firstNameOf } from '../../shared/emoji.ts'
import type { MessageId } from '../../shared/ids.ts'
import type { Cache } from '../cache.ts'
import { getChannel } from '../channels/manage-channels.ts'
import { changeMessage, findMessage, type MessageRow } from '../store.ts'
import { rateReply, withdrawRating } from '../thumbs/rate-reply.ts'
import { readThumb } from '../thumbs/read-thumb.ts'
import { mostEmoji } from './contract.ts'

export type ReactionContext = { db: Db; chatCache: Cache }

/** By one person in one process. Whoever changes more within a minute is a program. */
const mostPerMinute = 60

/** A thumb on a reply of the agent rates the reply: there is one kind of thumb. */
export async function changeReaction(
  { db, chatCache }: ReactionContext,
  actor: Actor,
  { id, name }: { id: MessageId; name: string },
  isAdded: boolean,
): Promise<MessageRow> {
  const known = firstNameOf(emojiOf(name) ?? '')
  if (known === undefined)
    throw problem(
      'not-found',
      `There is no emoji with the name ${name}. Use a short name such as tada or eyes.`,
    )
  await countChange(chatCache, actor)
  const found = await findMessage(db, id)
  if (!found) throw missing()
  return await db.transaction().execute(async (tx) => {
    // Locked before the message is read again, as whoever changes or deletes it does.
    const channel = await getChannel(tx, actor, found.channelId, { lock: true })
    const message = await findMessage(tx, id)
    if (!message || message.deletedAt) throw missing()
    const { isReply, runId } = message
    const thumb = isReply ? readThumb(known) : null
    if (thumb && runId) {
      if (isAdded) await rateReply(tx, runId, actor, { thumb })
      else await withdrawRating(tx, runId, actor.id, thumb)
      return (await findMessage(tx, id)) ?? message
    }
    if (channel.platform !== 'built-in')
      throw problem('invalid-request', `This message is in ${channel.workspaceName}. React to it there.`)
    const change = isAdded ? addReaction : removeReaction
    const isChanged = await change(tx, actor, id, known)
    return (isChanged && (await changeMessage(tx, id, {}))) || message
  })
}

async function countChange(chatCache: Cache, actor: Actor): Promise<void> {
  const minute = await chatCache.getOrFetch(`reactions ${actor.id}`, 60_000, async () => ({ changes: 0 }))
  minute.changes += 1
  if (minute.changes <= mostPerMinute) return
  throw problem(
    'too-many-requests',
    `You have changed ${mostPerMinute} reactions within a minute. Wait a minute, then try again.`,
    { headers: { 'retry-after': '60' } },
  )
}

async function addReaction(tx: Db, person: Actor, id: MessageId, name: string): Promise<boolean> {
  const { rows } =
    await sql`select distinct name from reactions where message_id = ${id} and name <> ${name}`.execute(tx)
  if (rows.length >= mostEmoji)
    throw problem(
      'invalid-request',
      `This message has ${mostEmoji} different emoji, and more are not possible. Choose one of them.`,
    )
  const { numAffectedRows } = await sql`
    insert into reactions (message_id, name, person_id, person_name) values (${id}, ${name}, ${person.id}, ${person.name})
    on conflict do nothing`.execute(tx)
  return numAffectedRows === 1n
}

async function removeReaction(
  tx: Db,
  { id: personId }: Actor,
  id: MessageId,
  name: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from reactions where message_id = ${id} and name = ${name} and person_id = ${personId}`.execute(tx)
  return numAffectedRows === 1n
}

export async function dropReactions(db: Db, id: MessageId): Promise<void> {
  await sql`delete from reactions where message_id = ${id}`.execute(db)
}

const missing = () => problem('not-found', 'There is no such message.')
