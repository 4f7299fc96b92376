import type { ModelMessage } from 'ai'
import { findConversation } from '../chat/find-conversation.ts'
import type { Events } from '../events.ts'
import type { MessageId, RunId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import { toMessages } from './journal.ts'
import type { Model } from './models/model.ts'
import { type Opening, openingMessage } from './read-opening.ts'
import { findReply } from './store/replies.ts'
import { findRun, type Run } from './store/run-rows.ts'
import { listSteps } from './store/steps.ts'

type Context = { db: Db; events: Events }

/** The conversation is the thread: the event it began with, every turn since, and last the message to answer now. */
export async function composeThread(ctx: Context, run: Run, model: Model): Promise<Opening> {
  const conversation = run.messageId && (await findConversation(ctx.db, run.messageId))
  const messages: ModelMessage[] = [
    { role: 'user', content: `The fence word of this conversation is ${run.fenceWord}.` },
  ]
  let eventText: string | null = null
  for (const message of conversation ? conversation.thread : []) {
    if (message.authorKind === 'user') {
      // Anybody in the channel may ask. The gate decides by who they are, not by what they write.
      messages.push({ role: 'user', content: `${message.authorName} writes:\n${message.text}` })
      continue
    }
    const turn = message.runId && (await findTurn(ctx, message.runId, message.id, model))
    // Cards, reminders and notices are not part of the conversation.
    if (!turn) continue
    eventText ??= turn.eventText
    messages.push(...turn.messages, { role: 'assistant', content: message.text })
  }
  return { messages, eventText }
}

/** What led to an earlier reply: its event, and the tools used on the way. */
async function findTurn(
  ctx: Context,
  runId: RunId,
  messageId: MessageId,
  model: Model,
): Promise<Opening | null> {
  const [earlier, reply] = await Promise.all([findRun(ctx.db, runId), findReply(ctx.db, runId)])
  if (earlier?.status !== 'succeeded' || reply?.messageId !== messageId) return null
  const steps = (await listSteps(ctx.db, runId)).filter(({ calls }) => calls.length > 0)
  const trigger = earlier.eventId ? await ctx.events.findTrigger(earlier.eventId) : null
  // The earlier run had another fence word. The model is told, so that its fences still count.
  const told: ModelMessage = {
    role: 'user',
    content: `The fence word of what follows is ${earlier.fenceWord}.`,
  }
  return {
    messages: [
      ...(trigger ? [await openingMessage(model, earlier.fenceWord, trigger)] : []),
      ...(!trigger && steps.length > 0 ? [told] : []),
      ...toMessages(steps),
    ],
    eventText: trigger?.event.body ?? null,
  }
}
