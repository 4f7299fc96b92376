import { problem } from '../../http/problems.ts'
import { type Actor, type Caller, mayActAs } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import { newId, type ToolId } from '../../shared/ids.ts'
import type { ShownRequest } from '../http/show-request.ts'
import { getConnector } from '../manage/get-connector.ts'
import { findToolRow } from '../manage/store.ts'
import { explainUndecryptable } from '../manage/undecryptable-secrets.ts'
import { explainMissingGrant } from '../oauth/grant-authenticator.ts'
import type { ToolAnswer } from './callable-tool.ts'
import { type CallContext, openCalls } from './prepare-call.ts'

type Trial = {
  input: unknown
  /** Only show the request. */
  dryRun: boolean
  /** `true`, or the digest of the request that the person saw. */
  confirm: boolean | string
}

type TrialResult = {
  request: ShownRequest
  digest: string
  answer: ToolAnswer | null
  timeMs: number | null
}

/** Stands for an Idempotency-Key, so that a request has the same digest when shown and when sent. */
const newForEachTrial = '(new for each trial)'
const maxTrialMs = 5 * 60_000

/** A call that a person makes: operators may try reads; other tools need an admin who has confirmed the rendered request. */
export async function tryTool(
  ctx: CallContext & { audit: Audit },
  caller: Caller,
  id: ToolId,
  trial: Trial,
): Promise<TrialResult> {
  const tool = await findToolRow(ctx.db, id)
  if (!tool) throw problem('not-found', 'There is no tool with this id.')
  const stored = await getConnector(ctx.db, tool.connectorId)
  // Nobody approved it, so it carries no proof of an approval.
  const connector = { ...stored, row: { ...stored.row, signRequests: false } }
  const lost = explainUndecryptable(ctx, connector) ?? explainMissingGrant(connector.row, connector.grant)
  if (lost) throw problem('invalid-input', lost)

  const prepareFor = openCalls(ctx, connector)(tool)
  const prepare = async (idempotencyKey: string) => {
    const prepared = await prepareFor(trial.input, idempotencyKey)
    if (prepared.ok) return prepared
    // A tool of an MCP server must be enabled: one that nobody has reviewed is never called.
    const fault =
      connector.row.type === 'mcp'
        ? 'The input does not fit the tool, or it is not enabled; nothing was sent.'
        : 'The input does not fit the tool; nothing was sent.'
    throw problem('invalid-input', fault, {
      errors: prepared.errors.map(({ pointer, detail }) => ({ pointer: `/input${pointer}`, detail })),
    })
  }

  const { shown: request, digest } = await prepare(newForEachTrial)
  if (trial.dryRun) return { request, digest, answer: null, timeMs: null }
  if (tool.capability !== 'read') requireConfirmation(caller.actor, tool.capability, trial.confirm, digest)
  const { shown: sent, send } = await prepare(newId('toolCall'))
  await ctx.audit(ctx.db, {
    ...caller,
    action: 'tool.tried',
    subject: id,
    detail: { name: tool.modelName, method: request.method, url: request.url, digest },
  })
  const startedAt = performance.now()
  const answer = await send(AbortSignal.timeout(maxTrialMs))
  return { request: sent, digest, answer, timeMs: Math.round(performance.now() - startedAt) }
}

function requireConfirmation(
  actor: Actor,
  capability: string,
  confirm: boolean | string,
  digest: string,
): void {
  if (!mayActAs(actor, 'admin')) {
    throw problem('forbidden', `Only an admin may try a ${capability} tool; you are ${actor.role}.`)
  }
  if (confirm === true || confirm === digest) return
  const detail =
    typeof confirm === 'string'
      ? 'The request has changed since it was confirmed. Preview it again with "dryRun":true and confirm its digest.'
      : `This is a ${capability} tool. Preview the request with "dryRun":true, then send its digest as "confirm".`
  throw problem('confirmation-required', detail)
}
