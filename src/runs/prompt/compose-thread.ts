import type { ModelMessage } from 'ai'
import { findRoles } from '../../chat/identities/store.ts'
import { findConversation, readThreadUntil } from '../../chat/messages/find-conversation.ts'
import type { MessageRow } from '../../chat/store.ts'
import { findTrigger, type Trigger } from '../../events/inbox/find-trigger.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Role } from '../../shared/actor.ts'
import type { RunId } from '../../shared/ids.ts'
import { type Step, toMessages } from '../loop/journal.ts'
import { renameCalls } from '../loop/tool-calls/rename-calls.ts'
import { earlyTextOf } from '../reply/early-reply.ts'
import { findReply } from '../store/replies.ts'
import { findRun, listRunsOfMessages, type Run } from '../store/run-rows.ts'
import { listSteps } from '../store/steps.ts'
import { listThreadContexts } from '../store/thread-contexts.ts'
import { addFiles, listFilesOf } from './compose-files.ts'
import { composeEvent, textOfEvents } from './compose-prompt.ts'
import { delimit } from './delimiter.ts'
import { measureMessages } from './measure-messages.ts'
import { type PromptModel, promptBudget } from './prompt-budget.ts'
import { splitQuotes } from './split-quotes.ts'
import { composeThreadContext, type ThreadContext } from './thread-context.ts'
import { trimToolResults } from './trim-tool-results.ts'
import { describeAuthor } from './turn-note.ts'

type Context = { db: Db }

export type InitialMessages = {
  /** The messages before the first step. */
  messages: ModelMessage[]
  /** The body of the event this is about, for read_more. */
  eventText: string | null
  /** The runs of earlier turns in the thread. Notes under their answers name sources for read_more. */
  earlierRunIds: RunId[]
}

/** What was asked, by an event or by people, and the reply. */
type Turn = {
  run: Run
  /** Everything that is new in this turn: messages since the last one, and the request. Null for an event, which is shown apart. */
  asked: ModelMessage | null
  reply: ModelMessage | null
}

/**
 * The conversation is the thread: the event it began with, every turn since, and last the message to answer now. Each turn is
 * repeated word for word as the model got it then, so that the provider's cache stays valid. What does not fit is left out: first
 * the answers of tools in the oldest turns, then their calls, then a part of the event, then the oldest texts.
 */
export async function composeThread(ctx: Context, run: Run, model: PromptModel): Promise<InitialMessages> {
  const budget = promptBudget(model)
  const turns = await listTurns(ctx, run, await readThread(ctx, run), Math.floor(budget / 4), model)
  const began = await findBeginning(ctx, turns)
  const about = run.eventId ? await findTrigger(ctx.db, run.eventId) : began?.trigger
  const eventText = about ? textOfEvents(about.event) : null

  // However long the thread, a part of the event is shown. The rest can be read with read_more.
  const eventBytes = began ? Buffer.byteLength(textOfEvents(began.trigger.event) ?? '') : 0
  const reserved = Math.min(eventBytes, budget / 4)
  const kept = keepNewest(turns, budget - reserved)
  let left = budget - measureMessages(kept.flatMap(textsOf))
  const messages: ModelMessage[] = []
  if (began) {
    const { source, event } = began.trigger
    const fits = eventBytes <= left
    // An event that is cut anyway leaves room for the answers of tools.
    const maxBytes = fits ? left : Math.floor(Math.max(left / 2, reserved))
    const shown = await composeEvent({ run: began.run, sourceName: source.name, event, maxBytes })
    messages.push(shown)
    left -= measureMessages([shown])
  }
  if (kept.length < turns.length) {
    messages.push({
      role: 'user',
      content: 'Earlier messages of this thread do not fit here and are left out.',
    })
  }
  const work = await listWork(ctx, kept, run, left)
  messages.push(
    ...kept.flatMap((turn) => [turn.asked, ...(work.get(turn) ?? []), turn.reply].filter(isShown)),
  )
  return {
    messages,
    eventText,
    earlierRunIds: turns.flatMap((turn) => (turn.run.id === run.id ? [] : turn.run.id)),
  }
}

/** An event of a thread that exists already is a turn in it, like the message of a person. */
async function readThread(ctx: Context, { messageId, threadId, startedAt }: Run): Promise<MessageRow[]> {
  if (messageId) return (await findConversation(ctx.db, messageId))?.thread ?? []
  return threadId ? await readThreadUntil(ctx.db, threadId, startedAt ?? new Date()) : []
}

/** `maxEventBytes`: how much is shown of each event after the first. Always the same, so that a provider's cache stays valid. */
async function listTurns(
  ctx: Context,
  current: Run,
  thread: readonly MessageRow[],
  maxEventBytes: number,
  { takesImages }: PromptModel,
): Promise<Turn[]> {
  const people = thread.filter(({ authorKind }) => authorKind === 'user')
  const asking = await listRunsOfMessages(
    ctx.db,
    people.map(({ id }) => id),
  )
  const runs = new Map([...asking, current].map((run) => [run.messageId, run]))
  const roles = await findRoles(
    ctx.db,
    people.map(({ authorId }) => authorId),
  )
  const contexts = await listThreadContexts(
    ctx.db,
    [...runs.values()].map(({ id }) => id),
  )
  const attached = Map.groupBy(await listFilesOf(ctx.db, people), ({ messageId }) => messageId)
  // A long file is shown in part, and always in the same part.
  const look = { maxBytes: maxEventBytes, takesImages }
  const turns: Turn[] = []
  let since: MessageRow[] = []
  for (const message of thread) {
    if (message.authorKind !== 'user') {
      const run = await findRunOfReply(ctx, message)
      // Cards, reminders and notices are not part of the conversation; the text of a rule is.
      if (!run) {
        if (isRuleText(message)) since = [...since, message]
        continue
      }
      const reply: ModelMessage = { role: 'assistant', content: earlyTextOf(message) ?? message.text }
      const turn = turns.find((one) => one.run.id === run.id)
      if (turn) turn.reply = reply
      else {
        turns.push({ run, asked: await askedByEvent(run), reply })
        since = []
      }
      continue
    }
    const run = runs.get(message.id)
    if (run) {
      const context = contexts.get(run.id) ?? null
      const asked = composeTurn(run, context, since, message, roles)
      const files = attached.get(message.id) ?? []
      turns.push({
        run,
        asked: await addFiles(asked, files, { ...look, delimiter: run.delimiter }),
        reply: null,
      })
    }
    since = run ? [] : [...since, message]
  }
  if (current.eventId && !turns.some(({ run }) => run.id === current.id))
    turns.push({ run: current, asked: await askedByEvent(current), reply: null })
  return turns

  /** Null for the event with which the thread began: as much of it is shown as there is room. */
  async function askedByEvent(run: Run): Promise<ModelMessage | null> {
    if (turns.length === 0 && since.length === 0) return null
    const trigger = run.eventId ? await findTrigger(ctx.db, run.eventId) : null
    if (!trigger) return null
    const { source, event } = trigger
    // What was written in a watched channel is the event.
    const others = since.filter(({ id }) => id !== event.messageId)
    if (turns.length === 0 && others.length === 0) return null
    const shown = await composeEvent({ run, sourceName: source.name, event, maxBytes: maxEventBytes })
    return { role: 'user', content: [...others.map(quote(run, roles)), shown.content].join('\n\n') }
  }
}

/** Posted by a rule instead of a run: what it was about is not known otherwise. */
function isRuleText({ authorKind, runId, card }: MessageRow): boolean {
  return authorKind === 'agent' && runId === null && card === null
}

function quote({ delimiter }: Run, roles: ReadonlyMap<string, Role>) {
  return (message: MessageRow) => {
    if (isRuleText(message)) return delimit(delimiter, 'notice of a rule', message.text)
    const role = roles.get(message.authorId ?? '') ?? null
    return delimit(
      delimiter,
      `message of ${describeAuthor({ name: message.authorName, role })}`,
      message.text,
    )
  }
}

/** What people wrote to each other since the last turn, and the request. Anybody in the channel may ask: the gate decides by who they are. */
function composeTurn(
  run: Run,
  context: ThreadContext | null,
  since: readonly MessageRow[],
  request: MessageRow,
  roles: ReadonlyMap<string, Role>,
): { role: 'user'; content: string } {
  const { delimiter, turnNote } = run
  const asker = describeAuthor({ name: request.authorName, role: roles.get(request.authorId ?? '') ?? null })
  return {
    role: 'user',
    content: [
      turnNote,
      ...(context ? composeThreadContext(context, delimiter) : []),
      ...since.map(quote(run, roles)),
      ...splitQuotes(request.text).map(({ isQuoted, text }) =>
        delimit(delimiter, isQuoted ? `quoted by ${asker}` : `request of ${asker}`, text),
      ),
    ].join('\n\n'),
  }
}

/** Also of one that waits, and has said something already. */
async function findRunOfReply(ctx: Context, message: MessageRow): Promise<Run | null> {
  const { id, runId } = message
  if (runId === null) return null
  const [run, reply] = await Promise.all([findRun(ctx.db, runId), findReply(ctx.db, runId)])
  if (run && earlyTextOf(message) !== null) return run
  return run?.status === 'succeeded' && reply?.messageId === id ? run : null
}

/** The event that the thread is about, and its run. Only the first message of a thread can be the reply to an event. */
async function findBeginning(
  ctx: Context,
  turns: readonly Turn[],
): Promise<{ run: Run; trigger: Trigger } | null> {
  const run = turns[0]?.asked === null ? turns[0].run : null
  const trigger = run?.eventId ? await findTrigger(ctx.db, run.eventId) : null
  return run && trigger ? { run, trigger } : null
}

function isShown(message: ModelMessage | null): message is ModelMessage {
  return message !== null
}

function textsOf({ asked, reply }: Turn): ModelMessage[] {
  return [asked, reply].filter(isShown)
}

/** The newest turns that fit. The last one, which is to be answered, stays in any case. */
function keepNewest(turns: readonly Turn[], maxBytes: number): Turn[] {
  const kept: Turn[] = []
  let left = maxBytes
  for (const turn of turns.toReversed()) {
    left -= measureMessages(textsOf(turn))
    if (left < 0 && kept.length > 0) break
    kept.unshift(turn)
  }
  return kept
}

/** The tools used on the way to the newest replies, as far as they fit: all calls of a turn, or none. */
async function listWork(
  ctx: Context,
  turns: readonly Turn[],
  current: Run,
  maxBytes: number,
): Promise<Map<Turn, ModelMessage[]>> {
  const work = new Map<Turn, ModelMessage[]>()
  let left = maxBytes
  for (const turn of turns.toReversed()) {
    if (!turn.reply) continue
    const messages = await readWork(ctx, turn.run, current, left)
    left -= measureMessages(messages)
    if (left < 0) break
    work.set(turn, messages)
  }
  return work
}

async function readWork(ctx: Context, run: Run, current: Run, maxBytes: number): Promise<ModelMessage[]> {
  const steps = (await listSteps(ctx.db, run.id)).filter(({ calls }) => calls.length > 0)
  const fitting = trimToolResults(steps, maxBytes)
  return toMessages(isUnderstood(run, current, steps) ? fitting : renameCalls(run.id, fitting))
}

/** Another provider may refuse the ids of calls, and short ones may come twice in a thread. Others stay as the provider gave them. */
function isUnderstood(run: Run, current: Run, steps: readonly Step[]): boolean {
  const ids = steps.flatMap(({ calls }) => calls.map(({ providerId }) => providerId))
  const isSame = steps.every(({ model }) => (model.provider || run.modelProvider) === current.modelProvider)
  return isSame && ids.every((id) => id.length >= surelyUnique)
}

const surelyUnique = 16
