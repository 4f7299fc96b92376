import type { JobQueue } from '../../jobs.ts'
import type { Db } from '../../platform/db/database.ts'
import { findConversation } from '../messages/find-conversation.ts'
import { isAddressed } from '../messages/is-addressed.ts'
import { holdMessage, isBusy, isHeld, listHeld, lockTurn, markNotified, type Turn } from './store.ts'

type Context = { queue: JobQueue }

/** If its run begins sooner, nothing is shown. */
const quietMs = 1500

/** In the transaction that stores the message. The agent is told now, or when it is done with the thread's earlier messages. */
export async function notifyAgent(
  ctx: Context,
  tx: Db,
  message: Turn,
  agentName: string | null = null,
): Promise<void> {
  const conversation = await findConversation(tx, message.id)
  if (!conversation || !isAddressed(conversation, agentName)) return
  if (message.threadId !== null) await lockTurn(tx, message)
  if (await isBusy(tx, message)) await holdMessage(tx, message.id)
  else await enqueue(ctx, tx, message)
}

/** Tells the agent about held messages whose turn has come. */
export async function enqueueNextMessages(ctx: Context & { db: Db }): Promise<void> {
  for (const message of await listHeld(ctx.db)) {
    await ctx.db.transaction().execute(async (tx) => {
      await lockTurn(tx, message)
      if ((await isHeld(tx, message.id)) && !(await isBusy(tx, message))) await enqueue(ctx, tx, message)
    })
  }
}

async function enqueue(ctx: Context, tx: Db, { id }: Turn): Promise<void> {
  await markNotified(tx, id)
  await ctx.queue.send(tx, 'message.received', { messageId: id })
  await ctx.queue.send(tx, 'message.queued', { messageId: id }, { startAfter: quietMs })
}
