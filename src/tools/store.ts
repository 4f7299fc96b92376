import { type RawBuilder, sql } from 'kysely'
import type { CallableTool, ToolAnswer, ToolErrorCode } from '../connectors/call/callable-tool.ts'
import type { ShownRequest } from '../connectors/http/show-request.ts'
import type { Db } from '../platform/db/database.ts'
import { replaceNul } from '../platform/db/replace-nul.ts'
import { publishChange } from '../shared/changes.ts'
import type { ApprovalId, ConnectorId, RunId, ToolCallId } from '../shared/ids.ts'
import type { ToolCall, ToolCallState } from './tool-call.ts'

type Row = Omit<ToolCall, 'answer'> & {
  responseStatus: number | null
  responseContentType: string | null
  responseHeaders: string | null
  responseBody: string | null
  responseImages: string | null
  responseBlocks: string | null
  errorCode: ToolErrorCode | null
  errorMessage: string | null
  warnings: string[]
}

export async function findToolCall(db: Db, id: ToolCallId): Promise<ToolCall | null> {
  const { rows } = await sql<Row>`
    select id, state, approval_id, response_status, response_content_type, response_headers, response_body,
      response_images, response_blocks, error_code, error_message, warnings
    from tool_calls where id = ${id}`.execute(db)
  return rows[0] ? toToolCall(rows[0]) : null
}

export type NewToolCall = {
  id: ToolCallId
  runId: RunId
  name: string
  input: unknown
  tool: CallableTool | null
  state: ToolCallState
  decision: 'run' | 'ask-admin' | 'refuse'
  reason: string | null
  approvalId: ApprovalId | null
  request: ShownRequest | null
  answer: ToolAnswer | null
  /** The worker's number for the run; null if no worker owns it. */
  fence: number | null
  /** How long the answer took, if it came before the row. */
  tookMs: number
}

/**
 * False if the call is already stored: the second caller reads what the first one wrote. Also false if the run is over and the
 * call would still send something, or if the run was erased or belongs to another worker: nothing more is stored for it.
 */
export async function insertToolCall(db: Db, call: NewToolCall): Promise<boolean> {
  const ended = call.answer !== null
  const answer = recordOf(call.answer)
  const startedAt = sql`now() - ${call.tookMs} * interval '1 millisecond'`
  const { numAffectedRows } = await sql`
    with ${lockedRun(sql`${call.runId}`)}
    insert into tool_calls (id, run_id, name, connector_id, tool_id, tool_revision, capability, input, state, decision, reason,
      approval_id, request, response_status, response_content_type, response_headers, response_body, response_images,
      error_code, error_message, warnings, started_at, sent_at, ended_at)
    select ${call.id}, ${call.runId}, ${replaceNul(call.name)}, ${call.tool?.connectorId ?? null}, ${call.tool?.toolId ?? null}, ${call.tool?.revision ?? null}::int,
      ${call.tool?.capability ?? null}, ${JSON.stringify(call.input ?? null)}, ${call.state}, ${call.decision},
      ${call.reason && replaceNul(call.reason)}, ${call.approvalId}, ${call.request && JSON.stringify(call.request)},
      ${answer.status}::int, ${answer.contentType}, ${answer.headers}, ${answer.body}, ${answer.images},
      ${answer.errorCode}, ${answer.errorMessage}, ${answer.warnings}::text[], ${startedAt},
      ${call.state === 'answered' || call.state === 'sending' ? startedAt : sql`null::timestamptz`},
      ${ended ? sql`now()` : sql`null::timestamptz`}
    where not exists (select from run where erased_at is not null or ${isTaken(call.fence)}
      or (ended_at is not null and not ${ended}::boolean))
    on conflict (id) do nothing`.execute(db)
  await publishChange(db, 'runs', call.runId)
  return numAffectedRows === 1n
}

/**
 * Locks the run, which waits for a transaction that erases, ends or takes it. Without the lock, the statement would see the run as
 * it was when the statement began.
 */
function lockedRun(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`run as (select ended_at, erased_at, fence, trigger from runs where id = ${id} for share)`
}

/** Another worker has taken the run since. Never true without a number. */
function isTaken(fence: number | null): RawBuilder<unknown> {
  return sql`coalesce(fence <> ${fence}::bigint, false)`
}

/** Locked until the transaction ends, so that nobody cancels or takes the run meanwhile. False if it is over or taken. */
export async function lockRun(tx: Db, runId: RunId, fence: number | null): Promise<boolean> {
  const { rows } = await sql<{ over: boolean }>`
    select ended_at is not null or ${isTaken(fence)} as over from runs where id = ${runId} for share`.execute(
    tx,
  )
  return !rows[0]?.over
}

type Context = { conversation: readonly RunId[]; alongside: readonly ToolCallId[] }

/** Whether the model had answers of other connectors before it when it wrote a call of this one. */
export async function hasReadOthers(
  db: Db,
  { conversation, alongside }: Context,
  connectorId: ConnectorId,
): Promise<boolean> {
  const { rows } = await sql`
    select from tool_calls where run_id = any(${conversation}) and connector_id <> ${connectorId}
      and state in ('answered', 'sending', 'unknown') and id <> all (${alongside}) limit 1`.execute(db)
  return rows.length > 0
}

type Versions = Pick<CallableTool, 'toolVersion' | 'connectorVersion'>

function isUnchanged(
  toolId: RawBuilder<unknown>,
  { toolVersion, connectorVersion }: Versions,
): RawBuilder<unknown> {
  return sql`exists (select from tools t join connectors o on o.id = t.connector_id
    where t.id = ${toolId} and t.version = ${toolVersion} and o.version = ${connectorVersion})`
}

/** Asks the database, since the remembered tool may be outdated. */
export async function isCurrentTool(db: Db, tool: CallableTool): Promise<boolean> {
  const { rows } = await sql`select where ${isUnchanged(sql`${tool.toolId}`, tool)}`.execute(db)
  return rows.length > 0
}

/**
 * The last check before bytes are sent: only one caller moves a waiting call to sending, and none does once its run is over or
 * another worker's, or the tool or connector has changed since an admin was asked.
 */
export async function claimSending(
  db: Db,
  id: ToolCallId,
  asked: Versions,
  fence: number | null,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with ${lockedRun(sql`(select run_id from tool_calls where id = ${id})`)}
    update tool_calls c set state = 'sending', sent_at = now()
    where id = ${id} and state = 'waiting'
      and ${isUnchanged(sql`c.tool_id`, asked)}
      and not exists (select from run where ended_at is not null or ${isTaken(fence)})`.execute(db)
  return numAffectedRows === 1n
}

/** JSON, as the model gave it. */
export async function findToolCallInput(db: Db, id: ToolCallId): Promise<string | null> {
  const { rows } = await sql<{ input: string }>`select input from tool_calls where id = ${id}`.execute(db)
  return rows[0]?.input ?? null
}

/** What will be sent in place of what the model asked for. */
export async function replaceShownRequest(tx: Db, id: ToolCallId, request: ShownRequest): Promise<void> {
  await sql`update tool_calls set request = ${JSON.stringify(request)} where id = ${id} and state = 'waiting'`.execute(
    tx,
  )
}

/** False if the call is no longer `from`, or its run was erased or, where the number matters, taken by another worker. */
export async function endToolCall(
  db: Db,
  id: ToolCallId,
  from: ToolCallState,
  to: 'answered' | 'refused' | 'unknown',
  answer: ToolAnswer,
  fence: number | null = null,
): Promise<boolean> {
  const { status, contentType, headers, body, images, errorCode, errorMessage, warnings } = recordOf(answer)
  // A client of /mcp that waited for an approval reads the answer from here.
  const blocks = answer.mcp ? replaceNul(JSON.stringify(answer.mcp)) : null
  const { rows } = await sql<{ runId: RunId }>`
    with ${lockedRun(sql`(select run_id from tool_calls where id = ${id})`)}
    update tool_calls set state = ${to}, response_status = ${status}, response_content_type = ${contentType},
      response_headers = ${headers}, response_body = ${body}, response_images = ${images},
      response_blocks = case when (select trigger from run) = 'mcp' then ${blocks} end,
      error_code = ${errorCode}, error_message = ${errorMessage}, warnings = ${warnings}, ended_at = now()
    where id = ${id} and state = ${from}
      and not exists (select from run where erased_at is not null or ${isTaken(fence)})
    returning run_id`.execute(db)
  const [ended] = rows
  if (ended) await publishChange(db, 'runs', ended.runId)
  return ended !== undefined
}

export async function listCallsInFlight(db: Db): Promise<Pick<ToolCall, 'id' | 'state' | 'approvalId'>[]> {
  const { rows } = await sql<Pick<ToolCall, 'id' | 'state' | 'approvalId'>>`
    select c.id, c.state, c.approval_id from tool_calls c left join approvals a on a.id = c.approval_id
    where c.state = 'sending' or (c.state = 'waiting' and a.status = 'approved')`.execute(db)
  return rows
}

/** For a run that goes no further, in the transaction that says so: from then on nobody sends what waits. */
export async function endWaitingCalls(tx: Db, runId: RunId, answer: ToolAnswer): Promise<void> {
  const { body, errorCode, errorMessage } = recordOf(answer)
  await sql`
    update tool_calls set state = 'refused', response_body = ${body}, error_code = ${errorCode},
      error_message = ${errorMessage}, ended_at = now()
    where run_id = ${runId} and state = 'waiting'`.execute(tx)
}

/** What is stored of an answer. The model got it unchanged. */
function recordOf(answer: ToolAnswer | null) {
  const { contentType = null, images = [], error = null, warnings = [] } = answer ?? {}
  return {
    status: answer?.status ?? null,
    contentType: contentType && replaceNul(contentType),
    headers: answer?.headers ? replaceNul(answer.headers) : null,
    body: answer && replaceNul(answer.body),
    images: images.length > 0 ? JSON.stringify(images) : null,
    errorCode: error?.code ?? null,
    errorMessage: error && replaceNul(error.message),
    warnings: warnings.map(replaceNul),
  }
}

function toToolCall(row: Row): ToolCall {
  const ended = row.state === 'answered' || row.state === 'refused' || row.state === 'unknown'
  return {
    id: row.id,
    state: row.state,
    approvalId: row.approvalId,
    answer: ended
      ? {
          status: row.responseStatus,
          contentType: row.responseContentType,
          headers: row.responseHeaders ?? '',
          body: row.responseBody ?? '',
          // We wrote this text ourselves, with exactly this shape.
          images: row.responseImages ? (JSON.parse(row.responseImages) as ToolAnswer['images']) : [],
          error: row.errorCode ? { code: row.errorCode, message: row.errorMessage ?? '' } : null,
          warnings: row.warnings,
          // Likewise.
          ...(row.responseBlocks ? { mcp: JSON.parse(row.responseBlocks) as ToolAnswer['mcp'] } : {}),
        }
      : null,
  }
}

/** Calls of erased runs are never continued, and what is still answered is not stored: those that have not ended end here. */
export async function wipeToolCalls(tx: Db, runIds: readonly RunId[]): Promise<void> {
  await sql`
    update tool_calls set input = 'null', request = null, response_headers = null, response_body = null,
      response_images = null, response_blocks = null, error_message = null, reason = null, warnings = '{}',
      state = case state when 'waiting' then 'refused' when 'sending' then 'unknown' else state end,
      error_code = case state when 'waiting' then 'approval_void' when 'sending' then 'outcome_unknown' else error_code end,
      ended_at = coalesce(ended_at, now())
    where run_id = any(${runIds})`.execute(tx)
}

export async function deleteToolCalls(tx: Db, runIds: readonly RunId[]): Promise<void> {
  await sql`delete from tool_calls where run_id = any(${runIds})`.execute(tx)
}
