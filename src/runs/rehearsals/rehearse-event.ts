import { findTrigger, type OwnModel, type Trigger } from '../../events/inbox/find-trigger.ts'
import type { Rule } from '../../events/rules/contract.ts'
import { judgeEvents } from '../../events/rules/judge-events.ts'
import type { Jobs } from '../../jobs.ts'
import { systemActor } from '../../shared/actor.ts'
import type { EventId, RunId } from '../../shared/ids.ts'
import { continueRun } from '../loop/advance-run.ts'
import type { RunContext } from '../loop/run-context.ts'
import { readRehearsedRun } from '../loop/start/read-rehearsed-run.ts'
import { takeRun } from '../store/leases.ts'
import { insertRun, type Run } from '../store/run-rows.ts'
import { listCallsByRun } from '../store/steps.ts'
import type { JudgedCheck } from './cases/contract.ts'
import { judgeChecks } from './cases/judge-checks.ts'
import { compareBehaviours } from './compare-behaviours.ts'
import type { Change, Outcome } from './contract.ts'
import { decideBudget } from './decide-budget.ts'
import { readBehaviours } from './read-behaviours.ts'
import {
  beginEvent,
  endRehearsal,
  findPending,
  findProgress,
  findSource,
  lockSpending,
  type Pending,
  type SavedSource,
  settleEvent,
} from './store.ts'

export type RehearsalContext = RunContext

const pollMs = 500

/** The job: the turn of one event. It may be done again at any time: what is there already is not done twice. */
export async function rehearseEvent(
  ctx: RehearsalContext,
  asked: Jobs['rehearsal.event'],
  signal: AbortSignal,
): Promise<void> {
  const { agent } = await ctx.settings.read()
  // The sweep brings it back.
  if (agent.paused) return
  const pending = await findPending(ctx.db, asked.rehearsalId, asked.eventId)
  if (!pending) return
  const runId = pending.runId
    ? await resume(ctx, pending.runId, signal)
    : await begin(ctx, pending, asked.eventId, signal)
  if (runId === 'settled') return
  const progress = runId === 'wait' ? null : await findProgress(ctx.db, runId)
  if (runId !== 'wait' && (!progress || progress.isOver))
    return await settleEvent(ctx.db, pending.id, asked.eventId, await compare(ctx, pending, runId))
  const startAfter = Math.max(progress?.resumesInMs ?? pollMs, pollMs)
  await ctx.queue.send(ctx.db, 'rehearsal.event', asked, {
    key: `${asked.rehearsalId} ${asked.eventId}`,
    startAfter: signal.aborted ? 0 : startAfter,
  })
}

async function resume(ctx: RehearsalContext, runId: RunId, signal: AbortSignal): Promise<RunId> {
  const takenAt = performance.now()
  const taken = await takeRun(ctx.db, runId)
  if (taken.kind === 'taken')
    await continueRun(ctx, taken.run, { isNew: false, trigger: null, takenAt }, signal)
  return runId
}

async function begin(
  ctx: RehearsalContext,
  pending: Pending,
  eventId: EventId,
  signal: AbortSignal,
): Promise<RunId | 'wait' | 'settled'> {
  const takenAt = performance.now()
  const settle = async (outcome: Outcome, ruled?: 'skipped' | 'notified') => {
    const seen = { ended: ruled ?? ('failed' as const), reply: null, calls: [] }
    const checks = pending.checks && judgeChecks(pending.checks, seen)
    await settleEvent(ctx.db, pending.id, eventId, { outcome, checks, ...(ruled && { ruled }) })
    return 'settled' as const
  }
  const [trigger, source] = await Promise.all([
    findTrigger(ctx.db, eventId),
    findSource(ctx.db, pending.sourceId),
  ])
  // Erased or deleted meanwhile.
  if (!trigger || trigger.event.body === null || !source) return await settle('failed')
  const rule = await judge(ctx, trigger, pending)
  if (rule && rule.then !== 'run')
    return await settle(sameRule(trigger, rule), rule.then === 'skip' ? 'skipped' : 'notified')
  const changed = applyChange(trigger, pending.change, { rule, saved: source })
  const newRun = await readRehearsedRun(ctx, changed, {
    rehearsalId: pending.id,
    before: pending.beforeRunId,
    recordedReads: pending.reads === 'recorded',
    instructions: pending.change.instructions,
    toolTexts: pending.change.tools,
  })
  const run = await ctx.db.transaction().execute(async (tx): Promise<Run | 'wait' | 'settled' | null> => {
    const spending = await lockSpending(tx, pending.id)
    if (!spending) return 'settled'
    const decision = decideBudget(spending)
    if (decision === 'wait') return 'wait'
    if (decision === 'stop') {
      const { budget, ended } = spending
      const problem = `The budget of ${budget} allows no more than ${ended} ${ended === 1 ? 'event' : 'events'}.`
      await endRehearsal(tx, pending.id, 'done', problem)
      return 'settled'
    }
    if (!(await beginEvent(tx, pending.id, eventId, newRun.id))) return 'settled'
    return await insertRun(tx, newRun)
  })
  if (run === null) return await settle('failed')
  if (typeof run === 'string') return run
  await ctx.faults?.('rehearsal.begun')
  await continueRun(ctx, run, { isNew: true, trigger: changed, takenAt }, signal)
  return run.id
}

/** What the tried rules say about the event; without tried rules, what the saved ones said when it came. */
async function judge(
  { conditions }: RehearsalContext,
  { event }: Trigger,
  { change }: Pending,
): Promise<Rule | null> {
  if (!change.rules) return event.verdict?.rule ?? null
  const { body, headers, receivedAt } = event
  const settings = { rules: change.rules, threadKey: null, collect: null }
  const asked = { body: Buffer.from(body ?? ''), headers, receivedAt }
  const [judged] = await judgeEvents(conditions, settings, [asked])
  return judged?.verdict.rule ?? null
}

/** A rule handles the event without a run. Did one that says the same before? */
function sameRule({ event: { verdict } }: Trigger, rule: Rule): Outcome {
  const before = verdict?.rule
  return before?.then === rule.then && before.text === rule.text ? 'same' : 'replyDiffers'
}

async function compare(
  { db }: RehearsalContext,
  { beforeRunId, checks }: Pending,
  runId: RunId,
): Promise<{ outcome: Outcome; checks: JudgedCheck[] | null }> {
  const found = await readBehaviours(db, systemActor, beforeRunId ? [beforeRunId, runId] : [runId])
  const after = found.get(runId)
  // Deleted with its event, or for its age.
  if (!after) return { outcome: 'failed', checks: null }
  const { outcome } = compareBehaviours((beforeRunId && found.get(beforeRunId)) || null, after)
  const calls = (await listCallsByRun(db, [runId])).get(runId) ?? []
  return { outcome, checks: checks && judgeChecks(checks, { ...after, calls }) }
}

/** The event with the settings that are tried. A rule with a prompt of its own keeps that prompt, whatever the source's becomes. */
function applyChange(
  { source, event }: Trigger,
  change: Change,
  { rule, saved }: { rule: Rule | null; saved: SavedSource },
): Trigger {
  const model: OwnModel | null = change.model === undefined ? source.model : change.model
  return {
    source: {
      ...source,
      prompt: rule?.prompt ?? change.prompt ?? saved.prompt,
      model,
      ceiling: change.ceiling ?? source.ceiling,
      allowSilence: change.allowSilence ?? source.allowSilence,
      connectorIds:
        change.connectorIds === undefined
          ? source.connectorIds
          : (change.connectorIds ?? saved.channelConnectorIds),
    },
    event,
  }
}
