import { sql } from 'kysely'
import type { ChannelId, ConnectorId, EventId, MessageId, RunId, WebhookId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import type { Requester } from '../tools/requester.ts'
import type { Step, Usage } from './journal.ts'
import type { Capability } from './offered-tool.ts'
import { type RunStatus, statesBefore } from './run.ts'

export type Run = {
  id: RunId
  trigger: 'webhook' | 'chat' | 'replay' | 'test' | 'mcp'
  webhookId: WebhookId | null
  eventId: EventId | null
  messageId: MessageId | null
  replayOf: RunId | null
  channelId: ChannelId | null
  threadId: MessageId | null
  dry: boolean
  requester: Requester
  ceiling: Capability | null
  connectorIds: ConnectorId[] | null
  allowSilence: boolean
  prompt: string
  system: string
  modelProvider: string
  modelName: string
  fenceWord: string
  toolSet: string
  status: RunStatus
  errorCode: string | null
  errorMessage: string | null
  steps: number
  inputTokens: number
  outputTokens: number
  cost: number
  workMs: number
  modelFailures: number
  /** How often it was taken up since it last got on. */
  tries: number
  fence: number
  askedAt: Date
  createdAt: Date
  startedAt: Date | null
  endedAt: Date | null
}

export type NewRun = Omit<
  Run,
  | 'status'
  | 'errorCode'
  | 'errorMessage'
  | 'steps'
  | 'inputTokens'
  | 'outputTokens'
  | 'cost'
  | 'workMs'
  | 'modelFailures'
  | 'tries'
  | 'fence'
  | 'createdAt'
  | 'startedAt'
  | 'endedAt'
>

export type Reply = {
  runId: RunId
  kind: 'answer' | 'notice' | 'silence'
  text: string
  state: 'pending' | 'posted' | 'withheld'
  messageId: MessageId | null
  permalink: string | null
}

/** How long a worker owns a run without saying so again. In the database's time, like every lease. */
const lease = sql`now() + interval '6 seconds'`

// pg gives bigint as text; the numbers here stay far below 2^53.
export const runColumns = sql`id, trigger, webhook_id, event_id, message_id, replay_of, channel_id, thread_id, dry, requester,
  ceiling, connector_ids, allow_silence, prompt, system, model_provider, model_name, fence_word, tool_set, status,
  error_code, error_message, steps, input_tokens::float8, output_tokens::float8, cost, work_ms::float8, model_failures,
  tries, fence::float8, asked_at, created_at, started_at, ended_at`

/** Somebody else owns the run now, or it is over: whoever sees this stops without another word. */
export class LeaseLost extends Error {
  constructor(runId: RunId) {
    super(`Run ${runId} belongs to another worker or has ended.`)
    this.name = 'LeaseLost'
  }
}

// ── start ──

export async function keepToolSet(db: Db, digest: string, tools: string): Promise<void> {
  await sql`insert into tool_sets (digest, tools) values (${digest}, ${tools}) on conflict do nothing`.execute(
    db,
  )
}

export async function readToolSet(db: Db, digest: string): Promise<string> {
  const { rows } = await sql<{ tools: string }>`select tools from tool_sets where digest = ${digest}`.execute(
    db,
  )
  if (!rows[0]) throw new Error(`The tool set ${digest} of a run is missing.`)
  return rows[0].tools
}

/** The new run is owned by whoever made it, so that its first step needs no second question. Null if it exists. */
export async function insertRun(db: Db, run: NewRun): Promise<Run | null> {
  const { rows } = await sql<Run>`
    ${insertInto(run)} 'running', 1, 1, ${lease}, now()) on conflict do nothing returning ${runColumns}`.execute(
    db,
  )
  return rows[0] ?? null
}

/** A run that a job will take up. */
export async function insertQueuedRun(tx: Db, run: NewRun): Promise<void> {
  await sql`${insertInto(run)} 'queued', 0, 0, null, null)`.execute(tx)
}

function insertInto(run: NewRun) {
  return sql`
    insert into runs (id, trigger, webhook_id, event_id, message_id, replay_of, channel_id, thread_id, dry, requester,
      ceiling, connector_ids, allow_silence, prompt, system, model_provider, model_name, fence_word, tool_set, asked_at,
      status, tries, fence, lease_until, started_at)
    values (${run.id}, ${run.trigger}, ${run.webhookId}, ${run.eventId}, ${run.messageId}, ${run.replayOf},
      ${run.channelId}, ${run.threadId}, ${run.dry}, ${JSON.stringify(run.requester)}, ${run.ceiling},
      ${run.connectorIds && JSON.stringify(run.connectorIds)}, ${run.allowSilence}, ${run.prompt}, ${run.system},
      ${run.modelProvider}, ${run.modelName}, ${run.fenceWord}, ${run.toolSet}, ${run.askedAt},`
}

// ── ownership ──

type Taken = { kind: 'taken'; run: Run } | { kind: 'busy'; until: Date } | { kind: 'over' }

export async function takeRun(db: Db, id: RunId): Promise<Taken> {
  const { rows } = await sql<Run>`
    update runs set status = 'running', fence = fence + 1, tries = tries + 1, lease_until = ${lease}, started_at = coalesce(started_at, now())
    where id = ${id} and status in ('queued', 'running', 'waiting') and (lease_until is null or lease_until < now())
    returning ${runColumns}`.execute(db)
  if (rows[0]) return { kind: 'taken', run: rows[0] }
  const { rows: held } = await sql<{ leaseUntil: Date }>`
    select lease_until from runs where id = ${id} and status in ('queued', 'running', 'waiting')
      and lease_until is not null`.execute(db)
  return held[0] ? { kind: 'busy', until: held[0].leaseUntil } : { kind: 'over' }
}

/** False once the run belongs to somebody else or has ended. */
export async function renewLease(db: Db, run: Run): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update runs set lease_until = ${lease} where id = ${run.id} and fence = ${run.fence} and status = 'running'
  `.execute(db)
  return numAffectedRows === 1n
}

/** Lets go without an end: for a decision, for a model that needs a pause, or for another process. */
export async function releaseRun(
  db: Db,
  run: Run,
  as: { status: 'running' | 'waiting'; workMs: number; gotOn: boolean; modelFailures?: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update runs set status = ${as.status}, lease_until = null, work_ms = ${as.workMs},
      model_failures = ${as.modelFailures ?? run.modelFailures}, tries = case when ${as.gotOn}::boolean then 0 else tries end
    where id = ${run.id} and fence = ${run.fence} and status = 'running'`.execute(db)
  return numAffectedRows === 1n
}

// ── the journal ──

export async function readSteps(db: Db, runId: RunId): Promise<Step[]> {
  const { rows } = await sql<StepRow>`
    select seq, answer, calls, results, finish_reason, input_tokens, output_tokens, cost, model_ms, started_at, ended_at
    from run_steps where run_id = ${runId} order by seq`.execute(db)
  return rows.map(toStep)
}

type StepRow = Omit<Step, 'answer' | 'calls' | 'results' | 'usage'> &
  Usage & { answer: string; calls: string; results: string | null }

export function toStep({ answer, calls, results, inputTokens, outputTokens, cost, ...row }: StepRow): Step {
  return {
    ...row,
    // We wrote these texts ourselves, with exactly these shapes.
    answer: JSON.parse(answer) as Step['answer'],
    calls: JSON.parse(calls) as Step['calls'],
    results: results === null ? null : (JSON.parse(results) as Step['results']),
    usage: { inputTokens, outputTokens, cost },
  }
}

type Progress = {
  step: Step
  /** Of the step before: what its calls came to. */
  resultsBefore: Step['results']
  workMs: number
  reply?: Pick<Reply, 'kind' | 'text'> | undefined
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
        model_failures = 0, tries = 0, lease_until = ${lease}
      where id = ${run.id} and fence = ${run.fence} and status = 'running'
      returning id
    ), before as (
      update run_steps set results = ${resultsBefore && JSON.stringify(resultsBefore)}
      where run_id in (select id from owned) and seq = ${step.seq - 1} and ${resultsBefore !== null}::boolean
    ), outbox as (
      insert into replies (run_id, kind, text, state)
      select id, ${reply?.kind ?? null}, ${storable(reply?.text ?? '')}, 'pending' from owned
      where ${reply !== undefined}::boolean
    )
    insert into run_steps (run_id, seq, answer, calls, finish_reason, input_tokens, output_tokens, cost, model_ms,
      started_at, ended_at)
    select id, ${step.seq}, ${JSON.stringify(step.answer)}, ${JSON.stringify(step.calls)}, ${step.finishReason},
      ${usage.inputTokens}, ${usage.outputTokens}, ${usage.cost}, ${Math.round(step.modelMs)}, ${step.startedAt},
      ${step.endedAt}
    from owned
    returning run_id`.execute(db)
  if (rows.length === 0) throw new LeaseLost(run.id)
}

// ── the end ──

/** A run that cannot go on: the reason, and the notice that becomes its one reply. */
export async function saveFailure(
  db: Db,
  run: Run,
  failure: { code: string; message: string; notice: string; workMs: number },
): Promise<void> {
  const { rows } = await sql`
    with owned as (
      update runs set error_code = ${failure.code}, error_message = ${storable(failure.message)},
        work_ms = ${failure.workMs}, lease_until = ${lease}
      where id = ${run.id} and fence = ${run.fence} and status = 'running'
      returning id
    )
    insert into replies (run_id, kind, text, state)
    select id, 'notice', ${storable(failure.notice)}, 'pending' from owned
    on conflict (run_id) do nothing
    returning run_id`.execute(db)
  if (rows.length === 0) throw new LeaseLost(run.id)
}

export async function readReply(db: Db, runId: RunId): Promise<Reply | null> {
  const { rows } = await sql<Reply>`
    select run_id, kind, text, state, message_id, permalink from replies where run_id = ${runId}`.execute(db)
  return rows[0] ?? null
}

type Settled = { state: 'posted' | 'withheld'; messageId: MessageId | null; permalink: string | null }

/** The reply is where it belongs; with it the run ends. Nothing happens if it had ended already. */
export async function endRun(tx: Db, run: Run, settled: Settled): Promise<boolean> {
  const status = run.errorCode === null ? 'succeeded' : 'failed'
  const { rows } = await sql`
    with posted as (
      update replies set state = ${settled.state}, message_id = ${settled.messageId}, permalink = ${settled.permalink},
        problem = null, posted_at = now()
      where run_id = ${run.id} and state = 'pending'
    )
    update runs set status = ${status}, error_code = ${run.errorCode}, error_message = ${run.errorMessage},
      ended_at = now(), lease_until = null
    where id = ${run.id} and status = any(${statesBefore(status)}) returning id`.execute(tx)
  return rows.length > 0
}

/** A cancelled run is over at once; only its notice is still to be posted. */
export async function markPosted(db: Db, runId: RunId, settled: Settled): Promise<void> {
  await sql`
    update replies set state = ${settled.state}, message_id = ${settled.messageId}, permalink = ${settled.permalink},
      problem = null, posted_at = now()
    where run_id = ${runId} and state = 'pending'`.execute(db)
}

/** How often posting has failed by now. */
export async function noteReplyProblem(db: Db, runId: RunId, text: string): Promise<number> {
  const { rows } = await sql<{ tries: number }>`
    update replies set problem = ${storable(text)}, tries = tries + 1 where run_id = ${runId} and state = 'pending'
    returning tries`.execute(db)
  return rows[0]?.tries ?? 0
}

export async function endAsCancelled(
  tx: Db,
  id: RunId,
  message: string,
  notice: string | null,
): Promise<Run | null> {
  const { rows } = await sql<Run>`
    update runs set status = 'cancelled', fence = fence + 1, lease_until = null, ended_at = now(),
      error_code = 'cancelled', error_message = ${message}
    where id = ${id} and status = any(${statesBefore('cancelled')})
      and not exists (select from replies where run_id = ${id})
    returning ${runColumns}`.execute(tx)
  if (rows[0] && notice !== null) {
    await sql`insert into replies (run_id, kind, text, state) values (${id}, 'notice', ${notice}, 'pending')`.execute(
      tx,
    )
  }
  return rows[0] ?? null
}

// ── reading ──

export async function findRun(db: Db, id: RunId): Promise<Run | null> {
  const { rows } = await sql<Run>`select ${runColumns} from runs where id = ${id}`.execute(db)
  return rows[0] ?? null
}

export async function findRunOfMessage(db: Db, messageId: MessageId): Promise<RunId | null> {
  const { rows } = await sql<{ id: RunId }>`
    select id from runs where message_id = ${messageId} and not dry`.execute(db)
  return rows[0]?.id ?? null
}

/** PostgreSQL text cannot hold NUL; its visible symbol stands in for it. */
function storable(text: string): string {
  return text.replaceAll('\0', '\u2400')
}

/** Runs that have not ended, for whoever resumes them all. */
export async function listAliveRuns(db: Db): Promise<RunId[]> {
  const { rows } = await sql<{ id: RunId }>`
    select id from runs where status in ('queued', 'running', 'waiting') order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** The runs and replays of an event, and the follow-ups in the threads under their replies. */
export async function findRunsOfEvent(db: Db, eventId: EventId): Promise<RunId[]> {
  const { rows } = await sql<{ id: RunId }>`
    with own as (select r.id, p.message_id from runs r left join replies p on p.run_id = r.id where r.event_id = ${eventId})
    select id from own
    union
    select r.id from runs r join own on r.thread_id = own.message_id and r.channel_id is not null`.execute(db)
  return rows.map(({ id }) => id)
}

/** A run that is still at work ends with it: there is nothing left to work on. */
export async function wipeRuns(tx: Db, ids: readonly RunId[]): Promise<void> {
  await sql`
    update run_steps set answer = '[]', calls = '[]', results = null where run_id = any(${ids})`.execute(tx)
  await sql`
    update replies set text = '', state = case state when 'pending' then 'withheld' else state end
    where run_id = any(${ids})`.execute(tx)
  await sql`
    update runs set erased_at = now(), fence = fence + 1, lease_until = null, error_message = null,
      status = case when status = any(${statesBefore('cancelled')}) then 'cancelled' else status end,
      ended_at = coalesce(ended_at, now())
    where id = any(${ids})`.execute(tx)
}

/** Runs that nobody works on although they could: their worker died or hangs, or a job was lost. */
export async function listForgottenRuns(db: Db, limit: number): Promise<RunId[]> {
  const { rows } = await sql<{ id: RunId }>`
    select id from runs
    where status in ('queued', 'running') and coalesce(lease_until, greatest(started_at, created_at)) < now() - interval '5 seconds'
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Notices of runs that are over and were not posted: their job was lost. */
export async function listForgottenReplies(db: Db, limit: number): Promise<RunId[]> {
  const { rows } = await sql<{ runId: RunId }>`
    select p.run_id from replies p join runs r on r.id = p.run_id
    where p.state = 'pending' and r.ended_at < now() - interval '30 seconds' order by p.created_at limit ${limit}
  `.execute(db)
  return rows.map(({ runId }) => runId)
}
