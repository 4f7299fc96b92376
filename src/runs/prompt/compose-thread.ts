import type { ModelMessage } from 'ai'
import { findConversation } from '../../chat/messages/find-conversation.ts'
import type { MessageRow } from '../../chat/store.ts'
import type { Model } from '../../models/model.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Events, Trigger } from '../../shared/events.ts'
import { toMessages } from '../loop/journal.ts'
import { renameCalls } from '../loop/rename-calls.ts'
import { findReply } from '../store/replies.ts'
import { findRun, type Run } from '../store/run-rows.ts'
import { listSteps } from '../store/steps.ts'
import { composeOpening } from './compose-prompt.ts'
import { leaveOutAnswers } from './trim-tool-results.ts'
import { measureMessages } from './measure-messages.ts'
import { openingBudget } from './prompt-budget.ts'
import type { Opening } from './read-initial-messages.ts'

type Context = { db: Db; events: Events }

/** A message of a person, or the reply of an earlier run. */
type Said = {
  words: ModelMessage
  /** The run whose reply it is. */
  run: Run | null
}

/**
 * The conversation is the thread: the event it began with, every turn since, and last the message to answer now. What does not
 * fit is left out: first the answers of tools in the oldest turns, then their calls, then a part of the event, then the oldest texts.
 */
export async function composeThread(ctx: Context, run: Run, model: Model): Promise<Opening> {
  const conversation = run.messageId && (await findConversation(ctx.db, run.messageId))
  const said = await listSaid(ctx, conversation ? conversation.thread : [])
  const began = await findBeginning(ctx, said)
  const eventText = began?.trigger.event.body ?? null

  const budget = openingBudget(model)
  // However much was said, a part of the event is shown. The rest can be read with read_more.
  const eventBytes = Buffer.byteLength(eventText ?? '')
  const reserved = Math.min(eventBytes, budget / 4)
  const kept = keepNewest(said, budget - reserved)
  let left = budget - measureMessages(kept.map(({ words }) => words))
  const messages: ModelMessage[] = [
    { role: 'user', content: `The fence word of this conversation is ${run.fenceWord}.` },
  ]
  if (began) {
    const { webhook, event } = began.trigger
    const { fenceWord } = began.run
    const fits = eventBytes <= left
    // An event that is cut anyway leaves room for the answers of tools.
    const maxBytes = fits ? left : Math.floor(Math.max(left / 2, reserved))
    const shown = await composeOpening({ fenceWord, webhookName: webhook.name, event, maxBytes })
    messages.push(shown)
    left -= measureMessages([shown])
  }
  if (kept.length < said.length) {
    messages.push({
      role: 'user',
      content: 'Earlier messages of this thread do not fit here and are left out.',
    })
  }
  const work = await listWork(ctx, kept, began?.run.fenceWord, left)
  messages.push(...kept.flatMap((one) => [...(work.get(one) ?? []), one.words]))
  return { messages, eventText, earlierRunIds: said.flatMap((one) => one.run?.id ?? []) }
}

async function listSaid(ctx: Context, thread: readonly MessageRow[]): Promise<Said[]> {
  const said: Said[] = []
  for (const message of thread) {
    if (message.authorKind === 'user') {
      // Anybody in the channel may ask. The gate decides by who they are, not by what they write.
      const content = `${message.authorName} writes:\n${message.text}`
      said.push({ words: { role: 'user', content }, run: null })
      continue
    }
    const run = await findRunThatSaid(ctx, message)
    // Cards, reminders and notices are not part of the conversation.
    if (run) said.push({ words: { role: 'assistant', content: message.text }, run })
  }
  return said
}

async function findRunThatSaid(ctx: Context, { id, runId }: MessageRow): Promise<Run | null> {
  if (runId === null) return null
  const [run, reply] = await Promise.all([findRun(ctx.db, runId), findReply(ctx.db, runId)])
  return run?.status === 'succeeded' && reply?.messageId === id ? run : null
}

/** The event that the thread is about, and its run. Only the first message of a thread can be the reply to an event. */
async function findBeginning(
  ctx: Context,
  said: readonly Said[],
): Promise<{ run: Run; trigger: Trigger } | null> {
  const run = said.find((one) => one.run)?.run
  const trigger = run?.eventId ? await ctx.events.findTrigger(run.eventId) : null
  return run && trigger ? { run, trigger } : null
}

/** The newest texts that fit. The last one, which is to be answered, stays in any case. */
function keepNewest(said: readonly Said[], maxBytes: number): Said[] {
  const kept: Said[] = []
  let left = maxBytes
  for (const one of said.toReversed()) {
    left -= measureMessages([one.words])
    if (left < 0 && kept.length > 0) break
    kept.unshift(one)
  }
  return kept
}

/** The tools used on the way to the newest replies, as far as they fit: all calls of a turn, or none. */
async function listWork(
  ctx: Context,
  said: readonly Said[],
  knownFenceWord: string | undefined,
  maxBytes: number,
): Promise<Map<Said, ModelMessage[]>> {
  const work = new Map<Said, ModelMessage[]>()
  let left = maxBytes
  for (const one of said.toReversed()) {
    if (!one.run) continue
    const messages = await readWork(ctx, one.run, one.run.fenceWord !== knownFenceWord, left)
    left -= measureMessages(messages)
    if (left < 0) break
    work.set(one, messages)
  }
  return work
}

async function readWork(
  ctx: Context,
  run: Run,
  withFenceWord: boolean,
  maxBytes: number,
): Promise<ModelMessage[]> {
  const steps = (await listSteps(ctx.db, run.id)).filter(({ calls }) => calls.length > 0)
  // The earlier run had another fence word. The model is told, so that its fences still count.
  const told: ModelMessage = {
    role: 'user',
    content: `The fence word of what follows is ${run.fenceWord}.`,
  }
  const opening = withFenceWord && steps.length > 0 ? [told] : []
  const fitting = leaveOutAnswers(steps, maxBytes - measureMessages(opening))
  return [...opening, ...toMessages(renameCalls(run.id, fitting))]
}
