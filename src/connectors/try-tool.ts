import { type Actor, type Caller, mayActAs } from '../actor.ts'
import type { Audit } from '../audit.ts'
import { newId, type ToolId } from '../ids.ts'
import type { Vault } from '../platform/crypto/vault.ts'
import type { Db } from '../platform/db/database.ts'
import type { Egress } from '../platform/egress/open-egress.ts'
import { problem } from '../problems.ts'
import type { ToolAnswer } from './callable-tool.ts'
import type { InputError } from './http/build-request.ts'
import { digestRequest, type ShownRequest, showRequest } from './http/show-request.ts'
import { draftFromRows, draftToolFromRow, type LoadedConnector, loadConnector } from './load-connector.ts'
import type { McpSessions } from './mcp/open-sessions.ts'
import { prepareMcpCall } from './mcp/prepare-mcp-call.ts'
import { renderRequest, sendFrozen } from './prepare-call.ts'
import type { SchemaCache } from './schema/compile-schema.ts'
import { readToolRow, type ToolRow } from './store.ts'
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
export async function tryTool(ctx: Context, id: ToolId, trial: Trial, by: Caller): Promise<TrialResult> {
  const tool = await readToolRow(ctx.db, id)
  if (!tool) throw problem('not-found', 'There is no tool with this id.')
  const connector = await loadConnector(ctx.db, tool.connectorId)
  const prepare = connector.row.type === 'mcp' ? prepareMcpTrial : prepareHttpTrial
  const prepared = await prepare(ctx, connector, tool, trial.input)
  if (!prepared.ok) {
    throw problem('invalid-input', prepared.complaint, {
      errors: prepared.errors.map(({ pointer, detail }) => ({ pointer: `/input${pointer}`, detail })),
    })
  }
  const { shown: request, digest } = prepared
  if (trial.dryRun) return { request, digest, answer: null, timeMs: null }
  if (tool.capability !== 'read') demandConfirmation(by.actor, tool.capability, trial.confirm, digest)
  await ctx.audit(ctx.db, {
    ...by,
    action: 'tool.tried',
    subject: id,
    detail: { name: tool.modelName, method: request.method, url: request.url, digest },
  })
  const startedAt = performance.now()
  const { sent, answer } = await prepared.send()
  return { request: sent, digest, answer, timeMs: Math.round(performance.now() - startedAt) }
}

type PreparedTrial =
  | {
      ok: true
      shown: ShownRequest
      digest: string
      send(): Promise<{ sent: ShownRequest; answer: ToolAnswer }>
    }
  | { ok: false; complaint: string; errors: InputError[] }

async function prepareHttpTrial(
  ctx: Context,
  loaded: LoadedConnector,
  toolRow: ToolRow,
  input: unknown,
): Promise<PreparedTrial> {
  const connector = draftFromRows(ctx, { ...loaded, tools: [] })
  const tool = draftToolFromRow(toolRow)
  const rendered = renderRequest(ctx, connector, tool, input, newForEachTrial)
  if (!rendered.ok) return { ...rendered, complaint: 'The input does not fit the tool; nothing was sent.' }
  const { request } = rendered
  return {
    ok: true,
    shown: showRequest(request),
    digest: digestRequest(request),
    async send() {
      const { headers } = request
      if (headers['Idempotency-Key'] === newForEachTrial) headers['Idempotency-Key'] = newId('toolCall')
      const outcome = await sendFrozen(ctx, connector, request, `trial of tool ${toolRow.modelName}`)
      return { sent: showRequest(request), answer: toToolAnswer(ctx, outcome, tool.outputSchema) }
    },
  }
}

/** Only an enabled tool: what nobody has looked at is not called, not even once. */
async function prepareMcpTrial(
  ctx: Context,
  { row }: LoadedConnector,
  tool: ToolRow,
  input: unknown,
): Promise<PreparedTrial> {
  const prepared = await prepareMcpCall(ctx, row, tool, input)
  if (!prepared.ok) {
    const complaint = 'The input does not fit the tool, or it is not enabled; nothing was sent.'
    return { ...prepared, complaint }
  }
  const { shown } = prepared
  const send = async () => ({ sent: shown, answer: await prepared.send(AbortSignal.timeout(maxTrialMs)) })
  return { ...prepared, send }
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
