import { classifyModelError } from '../../../models/classify-model-error.ts'
import type { Model } from '../../../models/model.ts'
import type { SettingsValues } from '../../../settings/open-settings.ts'
import { selectTools } from '../../built-in-tools/built-in-tools.ts'
import { eventSourceOf } from '../../built-in-tools/earlier-events.ts'
import { endOutage } from '../../outages/end-outage.ts'
import { findFallback, switchToFallback } from '../../outages/switch-to-fallback.ts'
import type { InitialMessages } from '../../prompt/compose-thread.ts'
import { readInitialMessages } from '../../prompt/read-initial-messages.ts'
import { saveSilence } from '../../store/leases.ts'
import { LeaseLost, type Run } from '../../store/run-rows.ts'
import type { WorkSession } from '../hold-lease.ts'
import { type Step, toMessages } from '../journal.ts'
import type { RunContext } from '../run-context.ts'
import { renameCalls } from '../tool-calls/rename-calls.ts'
import type { ToolSet } from '../tool-calls/tool-set.ts'
import { callModel } from './call-model.ts'

export type Work = InitialMessages & {
  run: Run
  model: Model
  set: ToolSet
  /** Names of tools that were found in earlier turns of the thread. */
  found: readonly string[]
  /** The journal so far. */
  steps: Step[]
}

type Asked = { ok: true; step: Step } | { ok: false; error: unknown }

/** A provider says how long to wait, and mostly answers then. */
const rateLimitTries = 3

/**
 * Asks for the next step: the run's model, or its fallback while the model does not answer. No tool of the step has been called yet,
 * so another model may answer it.
 */
export async function askModel(
  ctx: RunContext,
  work: Work,
  settings: SettingsValues,
  session: WorkSession,
): Promise<Asked> {
  const { run, model } = work
  const askFallback = async (fallback: Model) => {
    const initial = await readInitialMessages(ctx, run, fallback, null)
    return await ask(ctx, { ...work, ...initial, model: fallback }, settings, session)
  }
  const fallback = (await ctx.outages.usesFallback(model)) ? await findFallback(ctx, run) : null
  if (fallback) return await askFallback(fallback)
  const asked = await ask(ctx, work, settings, session)
  if (asked.ok) {
    await endOutage(ctx, model)
    return asked
  }
  const verdict = classifyModelError(asked.error)
  const isOver = session.stopping.aborted || session.workMs() >= settings.limits.workSecondsPerRun * 1000
  const retriesFirst =
    verdict.kind === 'retry' && verdict.isRateLimit && run.modelFailures + 1 < rateLimitTries
  if (verdict.kind === 'fail' || retriesFirst || isOver) return asked
  const other = await findFallback(ctx, run)
  if (!other) return asked
  await switchToFallback(ctx, run, other, verdict.message)
  return await askFallback(other)
}

/** The run's model gave two empty answers. True if another one is asked now. */
export async function replaceSilentModel(
  ctx: RunContext,
  run: Run,
  { model }: Step,
  problem: string,
): Promise<boolean> {
  const isFirst = model.provider === run.modelProvider && model.name === run.modelName
  const fallback = isFirst ? await findFallback(ctx, run) : null
  if (fallback) await switchToFallback(ctx, run, fallback, problem)
  return fallback !== null
}

/** A model call that is under way when the service stops gets this long to finish: it is paid for. */
const stopGraceMs = 15_000

async function ask(
  ctx: RunContext,
  { run, model, set, found, steps, messages, eventText }: Work,
  settings: SettingsValues,
  session: WorkSession,
): Promise<Asked> {
  const leftMs = Math.max(1000, settings.limits.workSecondsPerRun * 1000 - session.workMs())
  using deadline = openDeadline(session.stopping, leftMs)
  try {
    const step = await callModel(ctx, {
      model,
      system: run.system,
      messages: [...messages, ...toMessages(steps.map((step) => readableBy(model, run, step)))],
      tools: selectTools(
        { set, found, isAboutEvent: eventSourceOf(run) !== null, isChat: run.trigger === 'chat' },
        steps,
      ),
      seq: steps.length + 1,
      prices: settings.prices,
      signal: AbortSignal.any([session.lost, deadline.signal]),
      silenceMs: settings.limits.modelSilenceSeconds * 1000,
      onSilent: (since) => reportSilence(ctx, run, model, since),
      offline: {
        event: eventText,
        readTools: set.tools.filter(runsWithoutApproval).map(({ name }) => name),
      },
    })
    return { ok: true, step }
  } catch (error) {
    if (session.lost.aborted) throw new LeaseLost(run.id)
    return { ok: false, error }
  }
}

/** Another provider may refuse the ids of calls. */
function readableBy({ provider }: Model, run: Run, step: Step): Step {
  const isOwn = (step.model.provider || run.modelProvider) === provider
  return isOwn ? step : (renameCalls(run.id, [step])[0] ?? step)
}

/** For whoever looks at the run or the log while the call is under way. */
function reportSilence(ctx: RunContext, run: Run, { provider, name }: Model, since: Date | null): void {
  const runId = run.id
  if (since) ctx.log.warn({ runId, provider, model: name, since }, 'model.silent')
  saveSilence(ctx.db, run, since).catch((err: unknown) => ctx.log.warn({ runId, err }, 'model.silent'))
}

function runsWithoutApproval({ capability, permission }: ToolSet['tools'][number]): boolean {
  return capability === 'read' && permission === 'auto'
}

function openDeadline(stopping: AbortSignal, leftMs: number): Disposable & { signal: AbortSignal } {
  const over = new AbortController()
  let timer = setTimeout(() => over.abort(new Error('The run has used up its time.')), leftMs)
  const shorten = () => {
    clearTimeout(timer)
    timer = setTimeout(() => over.abort(stopping.reason), Math.min(leftMs, stopGraceMs))
  }
  if (stopping.aborted) shorten()
  else stopping.addEventListener('abort', shorten, { once: true })
  return {
    signal: over.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      stopping.removeEventListener('abort', shorten)
    },
  }
}
