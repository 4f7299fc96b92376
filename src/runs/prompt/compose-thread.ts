import type { ModelMessage } from 'ai'
import { findConversation } from '../../chat/messages/find-conversation.ts'
import type { MessageRow } from '../../chat/store.ts'
import { findTrigger, type Trigger } from '../../events/inbox/find-trigger.ts'
import type { Model } from '../../models/model.ts'
import type { Db } from '../../platform/db/database.ts'
import type { RunId } from '../../shared/ids.ts'
import { toMessages } from '../loop/journal.ts'
import { renameCalls } from '../loop/rename-calls.ts'
import { findReply } from '../store/replies.ts'
import { findRun, type Run } from '../store/run-rows.ts'
import { listSteps } from '../store/steps.ts'
import { composeEvent } from './compose-prompt.ts'
import { measureMessages } from './measure-messages.ts'
import { promptBudget } from './prompt-budget.ts'
import { trimToolResults } from './trim-tool-results.ts'

type Context = { db: Db }

export type InitialMessages = {
  /** The messages before the first step. */
  messages: ModelMessage[]
  /** The body of the event this is about, for read_more. */
  eventText: string | null
  /** The runs of earlier turns in the thread. Notes under their answers name sources for read_more. */
  earlierRunIds: RunId[]
}

/** A message of a person, or the reply of an earlier run. */
type ThreadTurn = {
  words: ModelMessage
  /** The run whose reply it is. */
  run: Run | null
}

/**
 * The conversation is the thread: the event it began with, every turn since, and last the message to answer now. What does not
 * fit is left out: first the answers of tools in the oldest turns, then their calls, then a part of the event, then the oldest texts.
 */
export async function composeThread(ctx: Context, run: Run, model: Model): Promise<InitialMessages> {
  const conversation = run.messageId && (await findConversation(ctx.db, run.messageId))
  const turns = await listTurns(ctx, conversation ? conversation.thread : [])
  const began = await findBeginning(ctx, turns)
  const eventText = began?.trigger.event.body ?? null

  const budget = promptBudget(model)
  // However long the thread, a part of the event is shown. The rest can be read with read_more.
  const eventBytes = Buffer.byteLength(eventText ?? '')
  const reserved = Math.min(eventBytes, budget / 4)
  const kept = keepNewest(turns, budget - reserved)
  let left = budget - measureMessages(kept.map(({ words }) => words))
  const messages: ModelMessage[] = [
    { role: 'user', content: `The fence word of this conversation is ${run.delimiter}.` },
  ]
  if (began) {
    const { webhook, event } = began.trigger
    const { delimiter } = began.run
    const fits = eventBytes <= left
    // An event that is cut anyway leaves room for the answers of tools.
    const maxBytes = fits ? left : Math.floor(Math.max(left / 2, reserved))
    const shown = await composeEvent({ delimiter, webhookName: webhook.name, event, maxBytes })
    messages.push(shown)
    left -= measureMessages([shown])
  }
  if (kept.length < turns.length) {
    messages.push({
      role: 'user',
      content: 'Earlier messages of this thread do not fit here and are left out.',
    })
  }
  const work = await listWork(ctx, kept, began?.run.delimiter, left)
  messages.push(...kept.flatMap((one) => [...(work.get(one) ?? []), one.words]))
  return { messages, eventText, earlierRunIds: turns.flatMap((one) => one.run?.id ?? []) }
}

async function listTurns(ctx: Context, thread: readonly MessageRow[]): Promise<ThreadTurn[]> {
  const turns: ThreadTurn[] = []
  for (const message of thread) {
    if (message.authorKind === 'user') {
      // Anybody in the channel may ask. The gate decides by who they are, not by what they write.
      const content = `${message.authorName} writes:\n${message.text}`
      turns.push({ words: { role: 'user', content }, run: null })
      continue
    }
    const run = await findRunOfReply(ctx, message)
    // Cards, reminders and notices are not part of the conversation.
    if (run) turns.push({ words: { role: 'assistant', content: message.text }, run })
  }
  return turns
}

async function findRunOfReply(ctx: Context, { id, runId }: MessageRow): Promise<Run | null> {
  if (runId === null) return null
  const [run, reply] = await Promise.all([findRun(ctx.db, runId), findReply(ctx.db, runId)])
  return run?.status === 'succeeded' && reply?.messageId === id ? run : null
}

/** The event that the thread is about, and its run. Only the first message of a thread can be the reply to an event. */
async function findBeginning(
  ctx: Context,
  turns: readonly ThreadTurn[],
): Promise<{ run: Run; trigger: Trigger } | null> {
  const run = turns.find((one) => one.run)?.run
  const trigger = run?.eventId ? await findTrigger(ctx.db, run.eventId) : null
  return run && trigger ? { run, trigger } : null
}

/** The newest texts that fit. The last one, which is to be answered, stays in any case. */
function keepNewest(turns: readonly ThreadTurn[], maxBytes: number): ThreadTurn[] {
  const kept: ThreadTurn[] = []
  let left = maxBytes
  for (const one of turns.toReversed()) {
    left -= measureMessages([one.words])
    if (left < 0 && kept.length > 0) break
    kept.unshift(one)
  }
  return kept
}

/** The tools used on the way to the newest replies, as far as they fit: all calls of a turn, or none. */
async function listWork(
  ctx: Context,
  turns: readonly ThreadTurn[],
  knownDelimiter: string | undefined,
  maxBytes: number,
): Promise<Map<ThreadTurn, ModelMessage[]>> {
  const work = new Map<ThreadTurn, ModelMessage[]>()
  let left = maxBytes
  for (const one of turns.toReversed()) {
    if (!one.run) continue
    const messages = await readWork(ctx, one.run, one.run.delimiter !== knownDelimiter, left)
    left -= measureMessages(messages)
    if (left < 0) break
    work.set(one, messages)
  }
  return work
}

async function readWork(
  ctx: Context,
  run: Run,
  withDelimiter: boolean,
  maxBytes: number,
): Promise<ModelMessage[]> {
  const steps = (await listSteps(ctx.db, run.id)).filter(({ calls }) => calls.length > 0)
  // The earlier run had another delimiter. The model must know it, so that it still counts.
  const note: ModelMessage = {
    role: 'user',
    content: `The fence word of what follows is ${run.delimiter}.`,
  }
  const before = withDelimiter && steps.length > 0 ? [note] : []
  const fitting = trimToolResults(steps, maxBytes - measureMessages(before))
  return [...before, ...toMessages(renameCalls(run.id, fitting))]
}
