import { type Actor, mayActAs } from '../actor.ts'
import type { Audit } from '../audit.ts'
import { newId, type ToolId } from '../ids.ts'
import type { Vault } from '../platform/crypto/vault.ts'
import type { Db } from '../platform/db/database.ts'
import type { Egress } from '../platform/egress/open-egress.ts'
import { problem } from '../problems.ts'
import type { ToolAnswer } from './callable-tool.ts'
import { digestRequest, type ShownRequest, showRequest } from './http/show-request.ts'
import { draftFromRows, draftToolFromRow, loadConnector } from './load-connector.ts'
import type { McpSessions } from './mcp/open-sessions.ts'
import { prepareMcpCall } from './mcp/prepare-mcp-call.ts'
import { renderRequest, sendFrozen } from './prepare-call.ts'
import type { SchemaCache } from './schema/compile-schema.ts'
import { type ConnectorRow, readToolRow, type ToolRow } from './store.ts'
import { toToolAnswer } from './to-tool-answer.ts'

type Context = {
  db: Db
  vault: Vault
  egress: Egress
  audit: Audit
  schemas: SchemaCache
  mcpSessions: McpSessions
}

export type Trial = {
  input: unknown
  /** Only show the request. */
  dryRun: boolean
  /** `true`, or the digest of the request that was looked at. */
  confirm: boolean | string
}

export type TrialResult = {
  request: ShownRequest
  digest: string
  answer: ToolAnswer | null
  timeMs: number | null
}

/** In place of an Idempotency-Key, so that looking at a request and sending it have the same digest. */
const newForEachTrial = '(new for each trial)'

/** A person's own call: reads by operators, anything else by an admin who has confirmed the rendered request. */
export async function tryTool(
  ctx: Context,
  id: ToolId,
  trial: Trial,
  by: { actor: Actor; source: string },
): Promise<TrialResult> {
  const toolRow = await readToolRow(ctx.db, id)
  if (!toolRow) throw problem('not-found', 'There is no tool with this id.')
  const loaded = await loadConnector(ctx.db, toolRow.connectorId)
  if (loaded.row.type === 'mcp') return await tryMcpTool(ctx, loaded.row, toolRow, trial, by)
  const connector = draftFromRows(ctx, { ...loaded, tools: [] })
  const tool = draftToolFromRow(toolRow)

  const rendered = renderRequest(ctx, connector, tool, trial.input, newForEachTrial)
  if (!rendered.ok) {
    throw problem('invalid-input', 'The input does not fit the tool; nothing was sent.', {
      errors: rendered.errors.map(({ pointer, detail }) => ({ pointer: `/input${pointer}`, detail })),
    })
  }
  const request = showRequest(rendered.request)
  const digest = digestRequest(rendered.request)
  if (trial.dryRun) return { request, digest, answer: null, timeMs: null }
  if (tool.capability !== 'read') demandConfirmation(by.actor, tool.capability, trial.confirm, digest)

  await ctx.audit(ctx.db, {
    ...by,
    action: 'tool.tried',
    subject: id,
    detail: { name: toolRow.modelName, method: request.method, url: request.url, digest },
  })
  const { headers } = rendered.request
  if (headers['Idempotency-Key'] === newForEachTrial) headers['Idempotency-Key'] = newId('toolCall')
  const outcome = await sendFrozen(ctx, connector, rendered.request, `trial of tool ${toolRow.modelName}`)
  return {
    request: showRequest(rendered.request),
    digest,
    answer: toToolAnswer(ctx, outcome, tool.outputSchema),
    timeMs: outcome.timeMs,
  }
}

/** Only an enabled tool: what nobody has looked at is not called, not even once. */
async function tryMcpTool(
  ctx: Context,
  row: ConnectorRow,
  tool: ToolRow,
  trial: Trial,
  by: { actor: Actor; source: string },
): Promise<TrialResult> {
  const prepared = await prepareMcpCall(ctx, row, tool, trial.input)
  if (!prepared.ok) {
    throw problem(
      'invalid-input',
      'The input does not fit the tool, or it is not enabled; nothing was sent.',
      {
        errors: prepared.faults.map(({ pointer, detail }) => ({ pointer: `/input${pointer}`, detail })),
      },
    )
  }
  const { shown: request, digest } = prepared
  if (trial.dryRun) return { request, digest, answer: null, timeMs: null }
  if (tool.capability !== 'read') demandConfirmation(by.actor, tool.capability, trial.confirm, digest)
  await ctx.audit(ctx.db, {
    ...by,
    action: 'tool.tried',
    subject: tool.id,
    detail: { name: tool.modelName, method: request.method, url: request.url, digest },
  })
  const startedAt = performance.now()
  const answer = await prepared.send(AbortSignal.timeout(maxTrialMs))
  return { request, digest, answer, timeMs: Math.round(performance.now() - startedAt) }
}

const maxTrialMs = 5 * 60_000

function demandConfirmation(
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
      ? 'The request is no longer the one that was confirmed. Look at it again with "dryRun":true and confirm its digest.'
      : `This is a ${capability} tool. Look at the request with "dryRun":true, then send its digest as "confirm".`
  throw problem('confirmation-required', detail)
}
