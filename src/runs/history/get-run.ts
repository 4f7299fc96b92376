import { sql } from 'kysely'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Settings } from '../../settings/open-settings.ts'
import type { Actor } from '../../shared/actor.ts'
import type { RunId } from '../../shared/ids.ts'
import type { RunShape } from '../contract.ts'
import type { Step } from '../loop/journal.ts'
import type { ToolSets } from '../loop/tool-calls/tool-set.ts'
import type { ThreadContext } from '../prompt/thread-context.ts'
import { findQueued, type QueuedRun } from '../store/queued-runs.ts'
import { findReply } from '../store/replies.ts'
import { findRun, type Run } from '../store/run-rows.ts'
import { listSteps } from '../store/steps.ts'
import { findThreadContext } from '../store/thread-contexts.ts'
import { runNames } from './run-names.ts'
import { runVisibleTo } from './run-visible-to.ts'
import { type RunNames, showQueued, showRun, showStep, showToolCall, type ToolCallRow } from './show-run.ts'

type Context = { db: Db; toolSets: ToolSets; settings: Settings }

/** Everything about one run. Before it is dispatched, it is described from its event. */
export async function getRun(ctx: Context, actor: Actor, id: RunId): Promise<RunShape> {
  const run = await findRun(ctx.db, id)
  if (run) return await readBegun(ctx, actor, run)
  const queued = await findQueued(ctx.db, actor, id)
  if (!queued) throw notFound()
  // Between these two reads it may have started, or even ended.
  const begun = queued.eventStatus === 'accepted' ? null : await findRun(ctx.db, id)
  if (begun) return await readBegun(ctx, actor, begun)
  if (isWithoutRun(queued)) throw notStarted(queued)
  const { prompt } = queued
  return {
    ...showQueued(queued),
    modelPause: null,
    modelSilence: null,
    revisions: { source: null, settings: null },
    prompt,
    system: null,
    turnNote: null,
    threadContext: null,
    tools: [],
    steps: [],
    attempts: [],
    toolCalls: [],
  }
}

async function readBegun(ctx: Context, actor: Actor, run: Run): Promise<RunShape> {
  const { id } = run
  const names = await findNames(ctx.db, actor, id)
  if (!names) throw notFound()
  const [steps, reply, toolCalls, set, wait, threadContext] = await Promise.all([
    listSteps(ctx.db, id),
    findReply(ctx.db, id),
    listToolCalls(ctx.db, id),
    ctx.toolSets.recorded(run.toolSet),
    findModelWait(ctx, run),
    findThreadContext(ctx.db, id),
  ])
  return {
    ...showRun(run, names, reply),
    ...wait,
    revisions: { source: run.sourceRevision ?? null, settings: run.settingsRevision ?? null },
    prompt: run.prompt,
    system: run.system,
    turnNote: run.turnNote || null,
    threadContext: threadContext && showThreadContext(threadContext),
    tools: set.tools.map(({ name }) => name),
    steps: steps.map(showStep),
    attempts: run.modelAttempts,
    toolCalls: inOrder(toolCalls, steps).map(showToolCall),
  }
}

function showThreadContext({ messages, leftOut, problem }: ThreadContext): RunShape['threadContext'] {
  const shown = messages.map(({ author: { name, kind }, text, at }) => ({ author: { name, kind }, text, at }))
  return { messages: shown, leftOut, problem }
}

/** Whether its last model call failed and the pause before the next one is not over, or the call under way is silent. */
async function findModelWait(
  { db, settings }: Context,
  run: Run,
): Promise<Pick<RunShape, 'modelPause' | 'modelSilence'>> {
  const none = { modelPause: null, modelSilence: null }
  if (run.status !== 'running') return none
  const { rows } = await sql<{ paused: boolean; until: Date | null; since: Date | null }>`
    select lease_until is null and (resume_at is null or resume_at > now()) as paused, resume_at as until,
      model_silent_since as since
    from runs where id = ${run.id} and status = 'running'`.execute(db)
  const { paused, until, since } = rows[0] ?? {}
  const { modelSilenceSeconds } = (await settings.read()).limits
  return {
    modelPause:
      paused && run.modelFailures > 0
        ? { failures: run.modelFailures, until: until?.toISOString() ?? null }
        : null,
    modelSilence: since
      ? {
          since: since.toISOString(),
          until: new Date(since.getTime() + modelSilenceSeconds * 1000).toISOString(),
        }
      : null,
  }
}

/** In the model's order: ids made in the same millisecond have no order. */
function inOrder(rows: ToolCallRow[], steps: readonly Step[]): ToolCallRow[] {
  const places = new Map(steps.flatMap(({ calls }) => calls).map(({ callId }, place) => [callId, place]))
  return rows.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
}

/** Null if this person may not see the run. */
async function findNames(db: Db, actor: Actor, id: RunId): Promise<RunNames | null> {
  const { rows } = await sql<RunNames>`
    select ${runNames(actor, sql`runs`)} from runs where id = ${id} and ${runVisibleTo(actor)}`.execute(db)
  return rows[0] ?? null
}

function isWithoutRun({ eventStatus, rule }: QueuedRun): boolean {
  // The text of a rule could not be posted.
  if (eventStatus === 'failed') return rule !== null && rule.then !== 'run'
  return ['skipped', 'notified', 'joined', 'missed'].includes(eventStatus)
}

/** The sender was given the id of a run before the rules of the webhook were asked. */
function notStarted({ eventId, eventStatus, rule, joinedTo }: QueuedRun) {
  const by = rule ? ` by rule ${rule.index + 1} (${rule.when})` : ''
  const became = joinedTo
    ? `was handled together with ${joinedTo}`
    : eventStatus === 'failed'
      ? `was to be told${by}, which could not be posted`
      : `was ${eventStatus}${by}`
  return problem('run-not-started', `The event ${eventId} ${became}. To run it anyway, replay the event.`)
}

function notFound() {
  return problem('not-found', 'There is no such run.')
}

/** A run may make hundreds of calls with answers of 10 MiB. Beyond this, only the beginning of an answer is shown. */
const shown = { inAllBytes: 4 * 1024 * 1024, ofOneChars: 16_000 }

async function listToolCalls(db: Db, runId: RunId): Promise<ToolCallRow[]> {
  const { rows } = await sql<ToolCallRow>`
    select id, name, connector_id, tool_id, tool_revision, input, decision, state, reason, request, response_status, response_content_type,
      case when is_cut then left(response_body, ${shown.ofOneChars}) else response_body end as response_body,
      error_code, error_message, warnings, approval_id,
      (select decided_by ->> 'name' from approvals a where a.id = approval_id) as decided_by, started_at, sent_at, ended_at, is_cut
    from (
      select *, coalesce(sum(octet_length(response_body)) over (order by id), 0) > ${shown.inAllBytes}
        and length(response_body) > ${shown.ofOneChars} as is_cut
      from tool_calls where run_id = ${runId}
    ) calls
    order by id`.execute(db)
  return rows
}
