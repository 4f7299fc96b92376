import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import { parseExactJson } from '../../platform/json/parse-exact-json.ts'
import { publishChange } from '../../shared/changes.ts'
import type { RunId } from '../../shared/ids.ts'
import type { Step, Usage } from '../loop/journal.ts'
import { dropQuotes, listQuoted } from './quoted-events.ts'
import type { Reply } from './replies.ts'
import { LeaseLost, lease, type Run } from './run-rows.ts'

type StepRow = Omit<Step, 'answer' | 'calls' | 'results' | 'usage' | 'model'> &
  Usage & {
    modelProvider: string
    modelName: string
    answer: string
    calls: string
    results: string | null
  }

export async function listSteps(db: Db, runId: RunId): Promise<Step[]> {
  const { rows } = await sql<StepRow>`
    select seq, answer, calls, results, finish_reason, model_provider, model_name, input_tokens, output_tokens,
      cost, model_ms, started_at, ended_at
    from run_steps where run_id = ${runId} order by seq`.execute(db)
  return rows.map(toStep)
}

/** Only what the model asked for in these runs. */
export async function listCalls(db: Db, runIds: readonly RunId[]): Promise<Pick<Step, 'calls'>[]> {
  const { rows } = await sql<{ calls: string }>`
    select calls from run_steps where run_id = any(${runIds}) order by run_id, seq`.execute(db)
  // We wrote these texts ourselves, with exactly this shape.
  return rows.map(({ calls }) => ({ calls: parseExactJson(calls) as Step['calls'] }))
}

/** What the model asked for in each of these runs, in its order. */
export async function listCallsByRun(
  db: Db,
  runIds: readonly RunId[],
): Promise<Map<RunId, Step['calls'][number][]>> {
  const { rows } = await sql<{ runId: RunId; calls: string }>`
    select run_id, calls from run_steps where run_id = any(${runIds}) order by run_id, seq`.execute(db)
  const byRun = new Map<RunId, Step['calls'][number][]>()
  for (const { runId, calls } of rows) {
    // We wrote these texts ourselves, with exactly this shape.
    byRun.set(runId, [...(byRun.get(runId) ?? []), ...(parseExactJson(calls) as Step['calls'])])
  }
  return byRun
}

function toStep({
  answer,
  calls,
  results,
  inputTokens,
  outputTokens,
  cost,
  modelProvider,
  modelName,
  ...row
}: StepRow): Step {
  return {
    ...row,
    // We wrote these texts ourselves, with exactly these shapes.
    answer: parseExactJson(answer) as Step['answer'],
    calls: parseExactJson(calls) as Step['calls'],
    results: results === null ? null : (JSON.parse(results) as Step['results']),
    model: { provider: modelProvider, name: modelName },
    usage: { inputTokens, outputTokens, cost },
  }
}

/** If an event in them was erased meanwhile, without it. The lock waits for a transaction that erases, or makes it wait and find them. */
function storedResults(results: Step['results']): RawBuilder<unknown> {
  if (results === null) return sql`null`
  const quoted = listQuoted(results)
  if (quoted.length === 0) return sql`${JSON.stringify(results)}`
  const erased = sql`select from (select erased_at from events where id = any(${quoted}) for share) e where erased_at is not null`
  return sql`case when exists (${erased}) then ${JSON.stringify(dropQuotes(results))} else ${JSON.stringify(results)} end`
}

type Progress = {
  step: Step
  /** The results of the previous step's calls. */
  resultsBefore: Step['results']
  workMs: number
  reply?: Pick<Reply, 'kind' | 'text'>
}

/** One statement, so one commit: the step, the results before it, the sums and, with the last step, the reply. */
export async function saveStep(
  db: Db,
  run: Run,
  { step, resultsBefore, workMs, reply }: Progress,
): Promise<void> {
  const { usage } = step
  const { rows } = await sql`
    with owned as (
      update runs set steps = ${step.seq}, input_tokens = input_tokens + ${usage.inputTokens},
        output_tokens = output_tokens + ${usage.outputTokens}, cost = cost + ${usage.cost}, work_ms = ${workMs},
        model_failures = 0, model_silent_since = null, tries = 0, lease_until = ${lease}
      where id = ${run.id} and fence = ${run.fence} and status = 'running'
      returning id
    ), before as (
      update run_steps set results = ${storedResults(resultsBefore)}
      where run_id in (select id from owned) and seq = ${step.seq - 1} and ${resultsBefore !== null}::boolean
    ), outbox as (
      insert into replies (run_id, kind, text, state)
      select id, ${reply?.kind ?? null}, ${replaceNul(reply?.text ?? '')}, 'pending' from owned
      where ${reply !== undefined}::boolean
    )
    insert into run_steps (run_id, seq, answer, calls, finish_reason, model_provider, model_name, input_tokens,
      output_tokens, cost, model_ms, started_at, ended_at)
    select id, ${step.seq}, ${JSON.stringify(step.answer)}, ${JSON.stringify(step.calls)}, ${step.finishReason},
      ${step.model.provider}, ${step.model.name}, ${usage.inputTokens}, ${usage.outputTokens}, ${usage.cost}, ${Math.round(step.modelMs)}, ${step.startedAt},
      ${step.endedAt}
    from owned
    returning run_id`.execute(db)
  if (rows.length === 0) throw new LeaseLost(run.id)
  await publishChange(db, 'runs', run.id)
}
