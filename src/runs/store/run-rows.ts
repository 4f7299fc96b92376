import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import { publishChange } from '../../shared/changes.ts'
import type { ChannelId, EventId, MessageId, RehearsalId, RunId, SourceId } from '../../shared/ids.ts'
import type { RunScope } from '../../tools/gate/narrow-scope.ts'
import type { Requester } from '../../tools/gate/requester.ts'
import type { AttemptShape } from '../contract.ts'
import type { RunStatus } from '../loop/run.ts'
import type { ThreadContext } from '../prompt/thread-context.ts'

/** What is fixed when a run is created. */
export type NewRun = RunScope & {
  id: RunId
  trigger: 'webhook' | 'schedule' | 'watch' | 'chat' | 'replay' | 'test' | 'mcp'
  sourceId: SourceId | null
  eventId: EventId | null
  messageId: MessageId | null
  replayOf: RunId | null
  channelId: ChannelId | null
  threadId: MessageId | null
  /** For a run in the thread of a webhook or schedule: its current limits apply there too. */
  threadSourceId?: SourceId | null
  dry: boolean
  /** A dry run that reads what the original run read. */
  recordedReads?: boolean
  /** A run of a rehearsal is in no list and in no figure; the rehearsal starts it and takes it up again. */
  rehearsalId?: RehearsalId | null
  requester: Requester
  allowSilence: boolean
  prompt: string
  system: string
  modelProvider: string
  modelName: string
  delimiter: string
  /** When, who and where, as the model was told at the start of the turn. */
  turnNote: string
  toolSet: string
  /** Which save of its webhook or schedule, and which of the settings, it was started with. */
  sourceRevision?: number | null
  settingsRevision?: number | null
  askedAt: Date
  /** Written with the run and read apart from it, since it may be long. */
  threadContext?: ThreadContext | null
}

export type Run = NewRun & {
  status: RunStatus
  errorCode: string | null
  errorMessage: string | null
  steps: number
  inputTokens: number
  outputTokens: number
  cost: number
  workMs: number
  modelFailures: number
  modelAttempts: AttemptShape[]
  /** How often it was taken up since it last made progress. */
  tries: number
  /** Increases whenever a worker takes the run: a worker with an older number can no longer commit to it. */
  fence: number
  startedAt: Date | null
  endedAt: Date | null
  erased: boolean
}

/** The event whose run this is. A replay only reads its event: only the first run occupies and settles it. */
export function ownEventOf({ trigger, eventId }: Run): EventId | null {
  return trigger === 'replay' ? null : eventId
}

/** How long a worker owns a run without renewing. */
export const leaseMs = 6000
/** By the database's clock, like every lease. */
export const lease = sql`now() + ${leaseMs} * interval '1 millisecond'`

// pg returns bigint as text; the numbers here stay far below 2^53.
export const runColumns = sql`id, trigger, source_id, event_id, message_id, replay_of, channel_id, thread_id, thread_source_id, dry,
  recorded_reads, rehearsal_id, requester, ceiling, connector_ids, reads_across, allow_silence, prompt, system, model_provider, model_name, delimiter, turn_note, tool_set, source_revision, settings_revision, status,
  error_code, error_message, steps, input_tokens::float8, output_tokens::float8, cost, work_ms::float8, model_failures, model_attempts,
  tries, fence::float8, asked_at, started_at, ended_at, erased_at is not null as erased`

/** Another worker owns the run now, or it is over: whoever catches this stops without writing anything. */
export class LeaseLost extends Error {
  constructor(runId: RunId) {
    super(`Run ${runId} belongs to another worker or has ended.`)
    this.name = 'LeaseLost'
  }
}

/** The creator owns the new run, so its first step needs no further query. Null if it exists, or its event is erased. */
export async function insertRun(db: Db, run: NewRun): Promise<Run | null> {
  const { rows } = await sql<Run>`
    ${insertion(run, sql`'running', 1, 1, ${lease}, now()`)} returning ${runColumns}`.execute(db)
  if (rows[0]) await publishChange(db, 'runs', run.id)
  return rows[0] ?? null
}

/** A run that a job will take up, or one that never starts. False if it exists already, or its event is erased. */
export async function insertQueuedRun(tx: Db, run: NewRun): Promise<boolean> {
  const { numAffectedRows } = await insertion(run, sql`'queued', 0, 0, null, null`).execute(tx)
  await publishChange(tx, 'runs', run.id)
  return numAffectedRows === 1n
}

/**
 * `stateValues` are the values of status, tries, fence, lease_until and started_at. The row lock, on the event or on the thread that may
 * be about one, waits for a transaction that erases the event, or makes it wait and find the run. Not a shared one: of two that insert
 * the run, one would wait for the run and the other for the event.
 */
function insertion(run: NewRun, stateValues: RawBuilder<unknown>): RawBuilder<unknown> {
  const unerased = sql`from (select from events where id = ${run.eventId} and erased_at is null for no key update) event`
  const thread = sql`from (select from messages where id = ${run.threadId} for no key update) thread`
  return sql`
    insert into runs (id, trigger, source_id, event_id, message_id, replay_of, channel_id, thread_id, thread_source_id, dry,
      recorded_reads, rehearsal_id, requester, ceiling, connector_ids, reads_across, allow_silence, prompt, system, model_provider, model_name, delimiter, turn_note, tool_set, source_revision, settings_revision, asked_at,
      thread_context, status, tries, fence, lease_until, started_at)
    select ${run.id}, ${run.trigger}, ${run.sourceId}, ${run.eventId}, ${run.messageId}, ${run.replayOf},
      ${run.channelId}, ${run.threadId}, ${run.threadSourceId ?? null}, ${run.dry}, ${run.recordedReads ?? false}, ${run.rehearsalId ?? null},
      ${JSON.stringify(run.requester)}, ${run.ceiling}, ${run.connectorIds && JSON.stringify(run.connectorIds)}, ${run.readsAcross}, ${run.allowSilence}, ${run.prompt}, ${run.system},
      ${run.modelProvider}, ${run.modelName}, ${run.delimiter}, ${run.turnNote}, ${run.toolSet}, ${run.sourceRevision ?? null}::int, ${run.settingsRevision ?? null}::int, ${run.askedAt},
      ${run.threadContext ? writeContext(run.threadContext) : null}, ${stateValues}
    ${run.eventId ? unerased : run.messageId ? thread : sql``}
    on conflict do nothing`
}

/** Its texts are as others wrote them: the database takes neither NUL nor lone surrogates, also not in JSON. */
function writeContext(context: ThreadContext): string {
  const clean = (value: unknown) => (typeof value === 'string' ? replaceNul(value).toWellFormed() : value)
  return JSON.stringify(context, (_key, value) => clean(value))
}

export async function findRun(db: Db, id: RunId): Promise<Run | null> {
  const { rows } = await sql<Run>`select ${runColumns} from runs where id = ${id}`.execute(db)
  return rows[0] ?? null
}

export async function findRunOfMessage(db: Db, messageId: MessageId): Promise<RunId | null> {
  const { rows } = await sql<{ id: RunId }>`
    select id from runs where message_id = ${messageId} and not dry`.execute(db)
  return rows[0]?.id ?? null
}

/** The runs that answer these messages of people. */
export async function listRunsOfMessages(db: Db, messageIds: readonly MessageId[]): Promise<Run[]> {
  const { rows } = await sql<Run>`
    select ${runColumns} from runs where message_id = any(${messageIds}) and not dry`.execute(db)
  return rows
}

/** Runs that have not ended, for resuming them all. */
export async function listAliveRuns(db: Db): Promise<RunId[]> {
  const { rows } = await sql<{ id: RunId }>`
    select id from runs where status in ('queued', 'running', 'waiting') and rehearsal_id is null order by id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Runs without a worker that could continue: their worker died or hangs, or a job was lost. Runs with a stored reply only need posting. */
export async function listForgottenRuns(db: Db, limit: number): Promise<RunId[]> {
  const { rows } = await sql<{ id: RunId }>`
    select id from runs
    where status in ('queued', 'running') and rehearsal_id is null and coalesce(lease_until, greatest(started_at, created_at)) < now() - interval '5 seconds'
      and not exists (select from replies p where p.run_id = id and p.state = 'pending')
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Runs that wait although somebody has decided: the wake-up coincided with another one that was being handled. Only older ones,
 * since every decision first sends its own wake-up.
 */
export async function listOverlookedRuns(db: Db, limit: number): Promise<RunId[]> {
  const { rows } = await sql<{ id: RunId }>`
    select r.id from runs r
    where r.status = 'waiting' and exists (
      select from tool_calls c join approvals a on a.id = c.approval_id
      where c.run_id = r.id and c.state = 'waiting' and a.status <> 'pending'
        and coalesce(a.decided_at, a.expires_at) < now() - interval '2 seconds')
    order by r.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}
