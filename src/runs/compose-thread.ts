import type { ModelMessage } from 'ai'
import { readConversation } from '../chat/read-conversation.ts'
import type { RunId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import { toMessages } from './journal.ts'
import { type Opening, openingMessage } from './read-opening.ts'
import { findRun, type Run, readSteps } from './store.ts'
import type { Inbox } from './trigger.ts'

type Context = { db: Db; inbox: Inbox }

/** The thread is the conversation: the event it began with, every turn since, and last the message that is answered now. */
export async function composeThread(ctx: Context, run: Run): Promise<Opening> {
  const conversation = run.messageId && (await readConversation(ctx.db, run.messageId))
  const thread = conversation ? conversation.thread : []
  const messages: ModelMessage[] = [
    { role: 'user', content: `The fence word of this conversation is ${run.fenceWord}.` },
  ]
  let eventText: string | null = null
  for (const message of thread) {
    if (message.authorKind === 'user') {
      messages.push(fromPerson(message))
      continue
    }
    const turn =
      message.runId && message.authorKind === 'agent' ? await readTurn(ctx, message.runId, run) : null
    if (!turn) {
      if (message.authorKind === 'agent') messages.push({ role: 'assistant', content: message.text })
      continue
    }
    eventText ??= turn.eventText
    messages.push(...turn.messages, { role: 'assistant', content: message.text })
  }
  return { messages, eventText }
}

/** People in the channel may ask; who they are decides the gate, not what they write. */
function fromPerson({ authorName, text }: { authorName: string; text: string }): ModelMessage {
  return { role: 'user', content: `${authorName} writes:\n${text}` }
}

/** What led to an earlier reply: its event, and the tools that were used on the way. */
async function readTurn(ctx: Context, runId: RunId, now: Run): Promise<Opening | null> {
  const earlier = await findRun(ctx.db, runId)
  if (earlier?.status !== 'succeeded') return null
  const steps = (await readSteps(ctx.db, runId)).filter(({ calls }) => calls.length > 0)
  const trigger = earlier.eventId ? await ctx.inbox.readTrigger(earlier.eventId) : null
  // An earlier run had another fence word; the words are told, so that its fences still count.
  const told: ModelMessage = {
    role: 'user',
    content: `The fence word of what follows is ${earlier.fenceWord}.`,
  }
  return {
    messages: [
      ...(trigger
        ? [openingMessage({ ...now, fenceWord: earlier.fenceWord }, trigger)]
        : steps.length > 0
          ? [told]
          : []),
      ...toMessages(steps),
    ],
    eventText: trigger?.event.body?.toString('utf8') ?? null,
  }
}
