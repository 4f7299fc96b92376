import { sql } from 'kysely'
import { findTrigger, type OwnModel, type Trigger } from '../../../events/inbox/find-trigger.ts'
import { moveEvent } from '../../../events/inbox/move-events.ts'
import type { Jobs } from '../../../jobs.ts'
import { chooseModel } from '../../../settings/choose-model.ts'
import {
  type ConnectorId,
  isScheduleId,
  isWatchId,
  kindOfSource,
  type MessageId,
  watchedChannel,
} from '../../../shared/ids.ts'
import type { Requester } from '../../../tools/gate/requester.ts'
import { listWaitingCalls } from '../../../tools/waiting-calls.ts'
import { composeSystem } from '../../prompt/compose-prompt.ts'
import { newDelimiter } from '../../prompt/delimiter.ts'
import { composeTurnNote } from '../../prompt/turn-note.ts'
import { findRun, insertRun, type NewRun, type Run } from '../../store/run-rows.ts'
import { findThreadOfMessage, findThreadOfSchedule } from '../../store/source-threads.ts'
import { findThreadRoot } from '../../threads/post-to-thread.ts'
import { advanceRun, continueRun } from '../advance-run.ts'
import { isOver } from '../run.ts'
import type { RunContext } from '../run-context.ts'
import type { ToolTexts } from '../tool-calls/tool-set.ts'
import { findSpentBudget, hasBudget } from './find-spent-budget.ts'

/** The job: turns an event into its run, which takes its first steps. If the job runs twice, it continues the same run. */
export async function startRun(
  ctx: RunContext,
  asked: Jobs['run.start'],
  signal: AbortSignal,
): Promise<void> {
  const trigger = await findTrigger(ctx.db, asked.eventId)
  // The event was erased, or deleted after its retention.
  if (!trigger || trigger.event.body === null) return
  const takenAt = performance.now()
  const { run, spent } = await beginRun(ctx, trigger)
  if (spent) return await pauseWithNotice(ctx, trigger, spent)
  if (!run) return await resumeRun(ctx, asked, signal)
  await ctx.faults?.('run.started')
  await continueRun(ctx, run, { isNew: true, trigger, takenAt }, signal)
}

type Begun = { run: Run | null; spent: string | null }

/** With a budget, one start of the webhook or schedule at a time: each sees the runs of those before it. */
async function beginRun(ctx: RunContext, trigger: Trigger): Promise<Begun> {
  const { source, event } = trigger
  const newRun = await readFirstRun(ctx, trigger)
  if (!hasBudget(source)) return { run: await insertRun(ctx.db, newRun), spent: null }
  return await ctx.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`budget ${source.id}`}, 0))`.execute(tx)
    const spent = await findSpentBudget(tx, source, event.runId)
    return { run: spent ? null : await insertRun(tx, newRun), spent }
  })
}

/** The run exists. If it is over, its event must not wait or occupy a place, whoever put it back. */
async function resumeRun(
  ctx: RunContext,
  { runId, eventId }: Jobs['run.start'],
  signal: AbortSignal,
): Promise<void> {
  const run = await findRun(ctx.db, runId)
  if (!run || !isOver(run.status)) return await advanceRun(ctx, runId, signal)
  await moveEvent(ctx.db, eventId, run.status === 'succeeded' ? 'done' : 'failed')
}

/** The run whose id the sender was given. */
export async function readFirstRun(ctx: RunContext, trigger: Trigger): Promise<NewRun> {
  const { source, event } = trigger
  const threadId = await findThreadOf(ctx, trigger)
  return {
    ...(await readRunSettings(ctx, trigger, { threadId })),
    id: event.runId,
    trigger: event.isTest ? 'test' : kindOfSource(source.id),
    replayOf: null,
    dry: false,
    askedAt: event.receivedAt,
    channelId: source.channelId,
    threadId,
  }
}

/** The thread of the message in a watched channel, of the events with the same key, or of the schedule, if there is one. */
export async function findThreadOf(ctx: RunContext, { source, event }: Trigger): Promise<MessageId | null> {
  if (event.messageId !== null) return await findThreadOfMessage(ctx.db, event.messageId)
  if (event.threadKey === null) return await findThreadOfSchedule(ctx.db, source.id)
  const { id: sourceId, channelId } = source
  return await findThreadRoot(ctx, { sourceId, threadKey: event.threadKey, channelId })
}

/** What a draft changes for one replay, and the thread in which the run answers. */
type Draft = {
  threadId?: MessageId | null
  prompt?: string
  model?: OwnModel
  connectorIds?: ConnectorId[] | null
  /** Instead of those in the settings. */
  instructions?: string | undefined
  /** Instead of those of the tools. */
  toolTexts?: ToolTexts | undefined
  /** When the turn is said to begin. */
  now?: Date
}

/** Everything that is read once, at the start: prompt, model, tools, scope. */
export async function readRunSettings(
  ctx: RunContext,
  { source, event }: Trigger,
  draft: Draft,
): Promise<Omit<NewRun, 'id' | 'trigger' | 'replayOf' | 'dry' | 'askedAt' | 'channelId'>> {
  const connectorIds = draft.connectorIds === undefined ? source.connectorIds : draft.connectorIds
  const [settings, model, set] = await Promise.all([
    ctx.settings.read(),
    // A requested model that is not set up is recorded all the same; the run reports that when it starts.
    draft.model ?? source.model ?? chooseModel(ctx).then(({ choice }) => choice),
    ctx.toolSets.current(connectorIds, draft.toolTexts),
  ])
  const prompt = draft.prompt ?? source.prompt
  const delimiter = newDelimiter()
  return {
    sourceId: source.id,
    eventId: event.id,
    messageId: null,
    threadId: null,
    requester: requesterOf(source),
    ceiling: source.ceiling,
    readsAcross: source.readsAcross,
    connectorIds,
    allowSilence: source.allowSilence,
    prompt,
    system: composeSystem({
      agent: { ...settings.agent, instructions: draft.instructions ?? settings.agent.instructions },
      source: { kind: kindOfSource(source.id), name: source.name, prompt },
      channelName: source.channelName,
      allowSilence: source.allowSilence,
    }),
    modelProvider: model.provider,
    modelName: model.name,
    delimiter,
    turnNote: composeTurnNote({
      now: draft.now ?? ctx.now(),
      timeZone: settings.timeZone,
      asker: null,
      maySkip: false,
      readsAcross: source.readsAcross,
      ceiling: source.ceiling,
      delimiter,
      waiting: draft.threadId ? await listWaitingCalls(ctx.db, draft.threadId) : [],
    }),
    toolSet: set.digest,
    sourceRevision: source.revision,
    settingsRevision: settings.revision,
  }
}

/** The event is kept and waits with the others until somebody resumes the webhook or schedule. */
async function pauseWithNotice(ctx: RunContext, { source, event }: Trigger, reason: string): Promise<void> {
  const pausedAt = await ctx.db.transaction().execute(async (tx) => {
    await moveEvent(tx, event.id, 'accepted')
    return await ctx.sources.pause(tx, source.id, reason)
  })
  if (!pausedAt) return
  const { title, path } = describeSource(source)
  await ctx.chat.post({
    channelId: source.channelId,
    threadId: null,
    text: `⏸️ ${title} is paused: ${reason} Events are kept and handled once an operator resumes it: ${ctx.publicUrl}${path}`,
    // One notice per pause, however many events run into it.
    key: `paused ${source.id} ${pausedAt.toISOString()}`,
    author: 'system',
  })
}

function requesterOf({ id, name }: Trigger['source']): Requester {
  if (isScheduleId(id)) return { kind: 'schedule', id, name }
  return isWatchId(id) ? { kind: 'watch', id, name } : { kind: 'webhook', id, name }
}

/** Where people find it: what it is called, and its page. */
function describeSource({ id, name }: Trigger['source']): { title: string; path: string } {
  if (isWatchId(id))
    return { title: 'Watching this channel', path: `/channels/${watchedChannel(id)}?about=1` }
  const kind = kindOfSource(id)
  return { title: `The ${kind} “${name}”`, path: `/${kind}s/${id}` }
}
