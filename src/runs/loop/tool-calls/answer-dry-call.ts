import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { canonicalJson } from '../../../platform/json/canonical-json.ts'
import { parseExactJson } from '../../../platform/json/parse-exact-json.ts'
import type { RunId, ToolCallId } from '../../../shared/ids.ts'
import { failure, noSuchTool } from '../../../tools/call-failures.ts'
import { callTool } from '../../../tools/call-tool.ts'
import { findOffered } from '../../../tools/find-offered.ts'
import { decideWithPolicies } from '../../../tools/gate/decide-with-policies.ts'
import type { GateContext } from '../../../tools/gate/gate-call.ts'
import type { ToolAnswer } from '../../prompt/render-answer.ts'
import { type DryCall, saveDryCall } from '../../store/dry-calls.ts'
import type { RequestedCall } from '../journal.ts'
import { type CallEnvironment, toGateCall } from './call-environment.ts'

type Answered = Pick<DryCall, 'capability' | 'answered' | 'would'> & {
  answer: ToolAnswer
  recordedCallId?: ToolCallId
}

/** A dry run makes real reads, unless told otherwise, and changes nothing: other calls get the answer of the original run, or a refusal. */
export async function answerDryCall(
  ctx: GateContext,
  env: CallEnvironment,
  call: RequestedCall,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const { answer, recordedCallId = null, ...rest } = await decide(ctx, env, call, signal)
  await saveDryCall(ctx.db, env.run, { callId: call.callId, ...rest, recordedCallId })
  return answer
}

async function decide(
  ctx: GateContext,
  env: CallEnvironment,
  call: RequestedCall,
  signal: AbortSignal,
): Promise<Answered> {
  const { run } = env
  const asked = toGateCall(run, call, env)
  const tool = await findOffered(ctx, asked)
  // What a real run would be refused is refused here, too: a rehearsal must not promise more.
  if (!tool)
    return {
      capability: 'read',
      answered: 'refused',
      would: 'refuse',
      answer: failure('invalid_input', noSuchTool(call.name)),
    }
  const { capability } = tool
  const refused = (answer: ToolAnswer): Answered => ({
    capability,
    answered: 'refused',
    would: 'refuse',
    answer,
  })
  const prepared = await tool.prepare(call.input, call.callId)
  if (prepared.kind === 'invalid') return refused(failure('invalid_input', prepared.message))
  const decision = await decideWithPolicies(ctx, asked, tool, run.rehearsalId)
  if (decision.kind === 'refuse') return refused(failure('denied', decision.reason))
  const would = decision.kind === 'ask-admin' ? 'ask' : 'send'
  const reads = capability === 'read' && tool.permission === 'auto' && decision.kind === 'run'
  if (reads && !run.recordedReads) {
    // With this ceiling the gate itself refuses, should the tool have just become something other than a read.
    const outcome = await callTool(
      ctx,
      { ...toGateCall(run, call), ceiling: 'read', readsAcross: 'all' },
      signal,
    )
    if (outcome.kind === 'answered') return { capability, answered: 'live', would, answer: outcome.answer }
  }
  const recorded = run.replayOf && (await findRecorded(ctx.db, run.replayOf, run.id, call))
  if (recorded)
    return {
      capability,
      answered: 'recorded',
      would,
      answer: toAnswer(recorded),
      recordedCallId: recorded.id,
    }
  return {
    capability,
    answered: reads ? 'not_recorded' : 'stopped',
    would,
    answer: failure(
      'denied',
      reads
        ? 'This is a dry run that reads from a recording, and this call is not in it. Go on without the answer.'
        : 'This is a dry run, so nothing was sent. Go on as if the call were waiting for somebody.',
    ),
  }
}

type Recorded = {
  id: ToolCallId
  input: string
  isUsed: boolean
  responseStatus: number | null
  responseContentType: string | null
  responseHeaders: string | null
  responseBody: string | null
  errorCode: NonNullable<ToolAnswer['error']>['code'] | null
  errorMessage: string | null
}

/**
 * The answer to the same call with the same input: of several, each is given once, in their order, and then the last one again. What
 * people denied is denied again.
 */
async function findRecorded(
  db: Db,
  original: RunId,
  runId: RunId,
  call: RequestedCall,
): Promise<Recorded | null> {
  const { rows } = await sql<Recorded>`
    select id, input, response_status, response_content_type, response_headers, response_body, error_code, error_message,
      exists (select from dry_calls d where d.run_id = ${runId} and d.recorded_call_id = c.id and d.call_id <> ${call.callId}) as is_used
    from tool_calls c
    where run_id = ${original} and name = ${call.name}
      and ((state = 'answered' and error_code is null) or (state = 'refused' and approval_id is not null and error_code = 'denied'))
    order by id`.execute(db)
  const wanted = canonicalJson(call.input)
  const same = rows.filter(({ input }) => canonicalJson(parseExactJson(input)) === wanted)
  return same.find(({ isUsed }) => !isUsed) ?? same.at(-1) ?? null
}

function toAnswer(recorded: Recorded): ToolAnswer {
  if (recorded.errorCode) return failure(recorded.errorCode, recorded.errorMessage ?? '')
  return {
    status: recorded.responseStatus,
    contentType: recorded.responseContentType,
    headers: recorded.responseHeaders ?? '',
    body: recorded.responseBody ?? '',
    images: [],
    error: null,
    warnings: [],
  }
}
