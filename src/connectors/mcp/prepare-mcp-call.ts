import { createHash } from 'node:crypto'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { isDeeperThan } from '../../platform/json/is-deeper-than.ts'
import { roundNumbers } from '../../platform/json/round-numbers.ts'
import { writePlainJson } from '../../platform/json/write-plain-json.ts'
import type { ToolAnswer } from '../callable-tool.ts'
import type { JsonSchema } from '../contract.ts'
import { requestSecrets } from '../http/request-secrets.ts'
import type { ShownRequest } from '../http/show-request.ts'
import type { SchemaCache } from '../schema/compile-schema.ts'
import { type ValueFault, validateInput } from '../schema/validate-input.ts'
import type { ConnectorRow, ToolRow } from '../store.ts'
import { type CallOutcome, callServer } from './call-server.ts'
import { serverOf } from './discover-tools.ts'
import type { McpSessions } from './open-sessions.ts'
import { readMcpTool, recordFault, touchContact } from './store.ts'
import { toMcpAnswer } from './to-mcp-answer.ts'

type Context = { db: Db; vault: Vault; schemas: SchemaCache; mcpSessions: McpSessions }

export type PreparedMcpCall =
  | { ok: true; shown: ShownRequest; digest: string; send(signal: AbortSignal): Promise<ToolAnswer> }
  | { ok: false; faults: ValueFault[] }

const maxInputDepth = 128

/** Decides what a call says. Nothing of it is sent unless the tool is enabled at this moment. */
export async function prepareMcpCall(
  ctx: Context,
  row: ConnectorRow,
  tool: ToolRow,
  input: unknown,
): Promise<PreparedMcpCall> {
  const refuse = (detail: string): PreparedMcpCall => ({ ok: false, faults: [{ pointer: '', detail }] })
  const pin = await readMcpTool(ctx.db, tool.id)
  if (pin?.state !== 'enabled') return refuse('This tool is not enabled, or the server has changed it since.')
  if (isDeeperThan(input, maxInputDepth)) return refuse(`Is nested deeper than ${maxInputDepth} levels.`)
  // The text was checked before it was written.
  const schema = JSON.parse(tool.inputSchema) as JsonSchema
  const faults = validateInput(ctx.schemas, schema, roundNumbers(input))
  if (faults.length > 0) return { ok: false, faults }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return refuse('Must be an object.')

  // Objects of a parsed JSON document have string keys.
  const params = { name: tool.name, arguments: input as Record<string, unknown> }
  const server = serverOf(ctx, row)
  const shown = showCall(row.baseUrl, params, server.token !== null)
  return {
    ok: true,
    shown,
    digest: digestCall(shown, pin.foundHash),
    async send(signal) {
      const isRead = tool.capability === 'read'
      const outcome = await callServer(ctx, { connector: row, server, params, isRead, signal })
      // The answer counts more than the note about it.
      await noteHealth(ctx, row, outcome).catch(() => undefined)
      const { credentials } = requestSecrets({
        authType: 'bearer',
        authHeaderName: null,
        authValue: server.token,
        sealedHeaders: {},
      })
      const outputSchema = tool.outputSchema === null ? null : JSON.parse(tool.outputSchema)
      return toMcpAnswer(ctx, { outcome, outputSchema, isRead, credentials })
    },
  }
}

/** The session adds its own running number (`id`) and a token for progress; what is decided about is everything else. */
function showCall(url: string, params: Record<string, unknown>, hasToken: boolean): ShownRequest {
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(hasToken ? { Authorization: 'Bearer ••••••••' } : {}),
    },
    body: writePlainJson({ jsonrpc: '2.0', method: 'tools/call', params }),
  }
}

/** Bound to the pinned object too: the words that were read are part of what was approved. */
function digestCall({ method, url, headers, body }: ShownRequest, pinnedHash: string): string {
  const bytes = JSON.stringify([method, url, Object.keys(headers), body, pinnedHash])
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

async function noteHealth({ db }: Context, { id }: ConnectorRow, outcome: CallOutcome): Promise<void> {
  if (outcome.kind !== 'failure') await touchContact(db, id)
  else if (outcome.failure.code !== 'cancelled') await recordFault(db, id, outcome.failure.message)
}
