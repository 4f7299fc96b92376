import type { SettingsValues } from '../../settings/open-settings.ts'
import { toolLabel } from '../../shared/tool-label.ts'
import { noteThreadProblem } from '../prompt/thread-context.ts'
import { postEarlyReply } from '../reply/early-reply.ts'
import { type LivePlan, showPlan } from '../reply/live-plan.ts'
import { deliverReply } from '../reply/post-reply.ts'
import { showWorking } from '../reply/show-working.ts'
import { listConversation } from '../store/quoted-events.ts'
import type { Reply } from '../store/replies.ts'
import type { Run } from '../store/run-rows.ts'
import { saveStep } from '../store/steps.ts'
import { findThreadContext } from '../store/thread-contexts.ts'
import { failRun } from './fail-run.ts'
import type { WorkSession } from './hold-lease.ts'
import type { Step } from './journal.ts'
import { askModel, replaceSilentModel, type Work } from './model-calls/ask-model.ts'
import { interpretStep } from './model-calls/interpret-step.ts'
import { retryOrFailRun } from './retry-or-fail-run.ts'
import type { RunContext } from './run-context.ts'
import { suspendRun } from './suspend-run.ts'
import { answerCalls } from './tool-calls/answer-calls.ts'
import type { CallEnvironment } from './tool-calls/call-environment.ts'

/**
 * The loop: answer the calls of the last step, ask the model, store its answer, and so on. Each round is one commit; after a
 * crash the run continues from the last one. Returns how the session ended, in a word.
 */
export async function runAgentLoop(ctx: RunContext, work: Work, session: WorkSession): Promise<string> {
  const plan = showPlan(ctx, work.run)
  try {
    return await loop(ctx, work, session, plan)
  } finally {
    await plan.close()
  }
}

async function loop(ctx: RunContext, work: Work, session: WorkSession, plan: LivePlan): Promise<string> {
  const { run, steps } = work
  using working = showWorking(ctx, run)
  const known = steps.length
  for (;;) {
    const settings = await ctx.settings.read()
    if (settings.agent.paused) {
      await suspendRun(ctx, run, { until: 'agent-resumed' }, session)
      return 'paused'
    }
    if (session.stopping.aborted) {
      await suspendRun(ctx, run, { until: 'taken-up' }, session)
      return 'handed-back'
    }

    const last = steps.at(-1)
    let resultsBefore: Step['results'] = null
    if (last && last.calls.length > 0 && last.results === null) {
      await ctx.faults?.('tools.before')
      working.update(`calling ${last.calls.map(({ name }) => toolLabel(name)).join(', ')}…`)
      const early = await postEarlyReply(ctx, run, steps, work.set)
      const answered = await answerCalls(
        ctx,
        {
          ...callEnvironmentOf(work, last, steps.length > known),
          conversation: await listConversation(ctx.db, run, work.earlierRunIds),
          askIn: run.threadId ?? early,
        },
        steps,
        session,
      )
      await ctx.faults?.('tools.after')
      // Handed back above. The gate has stored the calls that were made, so the next owner makes only the others.
      if (session.stopping.aborted && answered.kind !== 'waiting') continue
      if (answered.kind !== 'answered') {
        await suspendRun(
          ctx,
          run,
          { until: answered.kind === 'paused' ? 'agent-resumed' : 'decided' },
          session,
        )
        return answered.kind
      }
      resultsBefore = answered.results
      last.results = resultsBefore
    }
    const spent = findSpentLimit(steps, session.workMs(), settings.limits)
    if (spent) return await failRun(ctx, run, spent, session)

    working.update('thinking…')
    const startedAt = ctx.now()
    const asked = await askModel(ctx, work, settings, session)
    if (!asked.ok)
      return await retryOrFailRun(ctx, run, asked.error, { seq: steps.length + 1, startedAt }, session)
    const { step } = asked
    await ctx.faults?.('model.answered')
    const verdict = interpretStep(step, steps, run.allowSilence)
    const reply = verdict.kind === 'reply' ? await noteProblem(ctx, run, verdict.reply) : undefined
    await saveStep(ctx.db, run, { step, resultsBefore, workMs: session.workMs(), reply })
    await ctx.faults?.('step.saved')
    run.modelFailures = 0
    steps.push(step)
    if (verdict.kind === 'fail') {
      if (verdict.code === 'empty_answer' && (await replaceSilentModel(ctx, run, step, verdict.message)))
        continue
      return await failRun(ctx, run, verdict, session)
    }
    if (reply) {
      plan.stop()
      await deliverReply(ctx, run, reply)
      return 'replied'
    }
  }
}

/** If the thread it was called into could not be read, people are told why, whatever the model says about it. */
async function noteProblem<T extends Pick<Reply, 'kind' | 'text'>>(
  ctx: RunContext,
  run: Run,
  reply: T,
): Promise<T> {
  if (run.trigger !== 'chat' || reply.kind !== 'answer') return reply
  return { ...reply, text: noteThreadProblem(await findThreadContext(ctx.db, run.id), reply.text) }
}

/** One answer may take a quarter of the context window, and all answers of a step together half of what is left of it. */
function callEnvironmentOf(
  { run, set, model, eventText, earlierRunIds }: Work,
  last: Step,
  isFresh: boolean,
): Omit<CallEnvironment, 'askIn' | 'conversation'> {
  const left = Math.max(model.contextTokens - last.usage.inputTokens - last.usage.outputTokens, 2000)
  const maxBytes = {
    each: Math.floor((model.contextTokens / 4) * 3),
    together: Math.floor((left / 2) * 3),
  }
  const stepCallIds = last.calls.map(({ callId }) => callId)
  return {
    run,
    set,
    eventText,
    earlierRunIds,
    stepCallIds,
    takesImages: model.takesImages,
    maxBytes,
    isFresh,
  }
}

type Spent = {
  code: 'steps_exceeded' | 'time_exceeded' | 'tokens_exceeded' | 'cost_exceeded'
  message: string
}

/** Which limit the run has reached. Time spent waiting for people does not count. */
function findSpentLimit(
  steps: readonly Step[],
  workMs: number,
  { stepsPerRun, workSecondsPerRun, tokensPerRun, costPerRun }: SettingsValues['limits'],
): Spent | null {
  const tokens = steps.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0)
  if (steps.length >= stepsPerRun) {
    return { code: 'steps_exceeded', message: `The run took ${steps.length} steps, which is the limit.` }
  }
  if (workMs >= workSecondsPerRun * 1000) {
    return {
      code: 'time_exceeded',
      message: `The run worked for ${workSecondsPerRun} s, which is the limit.`,
    }
  }
  if (tokens >= tokensPerRun) {
    return {
      code: 'tokens_exceeded',
      message: `The run used ${tokens} tokens; the limit is ${tokensPerRun}.`,
    }
  }
  const cost = steps.reduce((sum, { usage }) => sum + usage.cost, 0)
  if (costPerRun !== null && cost >= costPerRun) {
    return { code: 'cost_exceeded', message: `The run cost ${cost.toFixed(4)}; the limit is ${costPerRun}.` }
  }
  return null
}
