import { sql } from 'kysely'
import type { RunId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import { problem } from '../problems.ts'
import type { RunShape } from './contract.ts'
import type { Step } from './journal.ts'
import { type QueuedRun, showQueued, showRun, showStep, showToolCall, type ToolCallRow } from './show-run.ts'
import { readReply } from './store/replies.ts'
import { findRun } from './store/run-rows.ts'
import { readSteps } from './store/steps.ts'
import type { ToolSets } from './tool-set.ts'

type Context = { db: Db; toolSets: ToolSets }

/** Everything about one run. Before its dispatch it is told from its event. */
export async function readRun(ctx: Context, id: RunId): Promise<RunShape> {
  const run = await findRun(ctx.db, id)
  if (!run) return await readQueued(ctx.db, id)
  const [steps, reply, toolCalls, set] = await Promise.all([
    readSteps(ctx.db, id),
    readReply(ctx.db, id),
    readToolCalls(ctx.db, id),
    ctx.toolSets.recorded(run.toolSet),
  ])
  return {
    ...showRun(run, reply),
    prompt: run.prompt,
    system: run.system,
    tools: set.tools.map(({ name }) => name),
    steps: steps.map(showStep),
    toolCalls: inOrder(toolCalls, steps).map(showToolCall),
  }
}

/** As the model asked for them: ids of one moment have no order of their own. */
function inOrder(rows: ToolCallRow[], steps: readonly Step[]): ToolCallRow[] {
  const places = new Map(steps.flatMap(({ calls }) => calls).map(({ callId }, place) => [callId, place]))
  return rows.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
}

async function readQueued(db: Db, id: RunId): Promise<RunShape> {
  const { rows } = await sql<QueuedRun>`
    select e.run_id as id, e.id as event_id, e.webhook_id, w.channel_id, e.trigger, w.prompt, w.name, e.received_at
    from events e join webhooks w on w.id = e.webhook_id
    where e.run_id = ${id} and e.id >= ${eventsAround(id, -60_000)} and e.id < ${eventsAround(id, 60_000)}`.execute(
    db,
  )
  const [queued] = rows
  if (!queued) throw problem('not-found', 'There is no such run.')
  return { ...showQueued(queued), prompt: queued.prompt, system: null, tools: [], steps: [], toolCalls: [] }
}

/** Both ids begin with the time of the accepted delivery, so the event is found in a small span of its primary key. */
function eventsAround(id: RunId, shiftMs: number): string {
  const time = Number.parseInt(id.slice(4, 17).replace('-', ''), 16) + shiftMs
  const hex = Math.max(0, time).toString(16).padStart(12, '0')
  return `evt_${hex.slice(0, 8)}-${hex.slice(8)}`
}

async function readToolCalls(db: Db, runId: RunId): Promise<ToolCallRow[]> {
  const { rows } = await sql<ToolCallRow>`
    select id, name, connector_id, input, decision, state, reason, request, response_status, response_content_type,
      response_body, error_code, error_message, warnings, approval_id, started_at, ended_at
    from tool_calls where run_id = ${runId} order by id`.execute(db)
  return rows
}
