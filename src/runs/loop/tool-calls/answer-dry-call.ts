import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { RunId } from '../../../shared/ids.ts'
import { failure, noSuchTool } from '../../../tools/call-failures.ts'
import { callTool } from '../../../tools/call-tool.ts'
import { findOffered } from '../../../tools/find-offered.ts'
import { decideWithPolicies } from '../../../tools/gate/decide-with-policies.ts'
import type { GateContext } from '../../../tools/gate/gate-call.ts'
import type { ToolAnswer } from '../../prompt/render-answer.ts'
import type { RequestedCall } from '../journal.ts'
import { type CallEnvironment, toGateCall } from './call-environment.ts'

/** A dry run makes real reads, unless told otherwise, and changes nothing: other calls get the answer of the original run, or a refusal. */
export async function answerDryCall(
  ctx: GateContext,
  env: CallEnvironment,
  call: RequestedCall,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const { run } = env
  const asked = toGateCall(run, call, env)
  const tool = await findOffered(ctx, asked)
  // What a real run would be refused is refused here, too: a rehearsal must not promise more.
  if (!tool) return failure('invalid_input', noSuchTool(call.name))
  const prepared = await tool.prepare(call.input, call.callId)
  if (prepared.kind === 'invalid') return failure('invalid_input', prepared.message)
  const decision = await decideWithPolicies(ctx, asked, tool)
  if (decision.kind === 'refuse') return failure('denied', decision.reason)
  const reads = tool.capability === 'read' && tool.permission === 'auto' && decision.kind === 'run'
  if (reads && !run.recordedReads) {
    // With this ceiling the gate itself refuses, should the tool have just become something other than a read.
    const outcome = await callTool(
      ctx,
      { ...toGateCall(run, call), ceiling: 'read', readsAcross: 'all' },
      signal,
    )
    if (outcome.kind === 'answered') return outcome.answer
  }
  const recorded = run.replayOf && (await findRecorded(ctx.db, run.replayOf, call))
  if (recorded) return recorded
  return failure(
    'denied',
    reads
      ? 'This is a dry run that reads from a recording, and this call is not in it. Go on without the answer.'
      : 'This is a dry run, so nothing was sent. Go on as if the call were waiting for somebody.',
  )
}

type Recorded = {
  input: string
  responseStatus: number | null
  responseContentType: string | null
  responseHeaders: string | null
  responseBody: string | null
}

/** The answer to the same call with the same input. */
async function findRecorded(db: Db, runId: RunId, call: RequestedCall): Promise<ToolAnswer | null> {
  const { rows } = await sql<Recorded>`
    select input, response_status, response_content_type, response_headers, response_body from tool_calls
    where run_id = ${runId} and name = ${call.name} and state = 'answered' and error_code is null
    order by id`.execute(db)
  const same = rows.find(({ input }) => input === JSON.stringify(call.input ?? null))
  if (!same) return null
  return {
    status: same.responseStatus,
    contentType: same.responseContentType,
    headers: same.responseHeaders ?? '',
    body: same.responseBody ?? '',
    images: [],
    error: null,
    warnings: [],
  }
}
