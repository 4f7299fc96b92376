import type { Vault } from '../platform/crypto/vault.ts'
import type { Db } from '../platform/db/database.ts'
import type { Egress } from '../platform/egress/open-egress.ts'
import { Secret } from '../platform/secret.ts'
import type { CallableTool, PreparedCall } from './callable-tool.ts'
import { checkInput } from './check-input.ts'
import type { Draft, DraftTool } from './draft.ts'
import {
  buildRequest,
  type FrozenRequest,
  type InputError,
  type RequestConnector,
} from './http/build-request.ts'
import { requestSecrets } from './http/request-secrets.ts'
import { type SendOutcome, sendRequest } from './http/send-request.ts'
import { digestRequest, showRequest } from './http/show-request.ts'
import { draftFromRows, draftToolFromRow } from './load-connector.ts'
import type { McpSessions } from './mcp/open-sessions.ts'
import { prepareMcpCall } from './mcp/prepare-mcp-call.ts'
import type { NoteHealth } from './note-health.ts'
import type { SchemaCache } from './schema/compile-schema.ts'
import { toToolAnswer } from './to-tool-answer.ts'
import type { ToolShelf } from './tool-shelf.ts'

type Context = {
  db: Db
  toolShelf: ToolShelf
  vault: Vault
  egress: Egress
  schemas: SchemaCache
  mcpSessions: McpSessions
  noteHealth: NoteHealth
}

/**
 * Decides the bytes of a call. The tool must still have the versions it was found with: an edit in between
 * means that somebody decided about something else.
 */
export async function prepareCall(
  ctx: Context,
  tool: CallableTool,
  input: unknown,
  callId: string,
): Promise<PreparedCall> {
  const shelf = await ctx.toolShelf.read()
  const toolRow = shelf.toolRows.get(tool.toolId)
  const { row, headers = [] } = shelf.connectors.get(tool.connectorId) ?? {}
  if (toolRow?.version !== tool.toolVersion || row?.version !== tool.connectorVersion) {
    return {
      kind: 'invalid',
      message: 'The tool was changed or deleted a moment ago. Look at the tools again.',
    }
  }
  if (row.type === 'mcp') {
    const prepared = await prepareMcpCall(ctx, row, toolRow, input)
    if (!prepared.ok) return { kind: 'invalid', message: invalidInput(prepared.errors) }
    return { kind: 'ready', ...prepared }
  }
  const connector = draftFromRows(ctx, { row, headers, tools: [] })
  const rendered = renderRequest(ctx, connector, draftToolFromRow(toolRow), input, callId)
  if (!rendered.ok) return { kind: 'invalid', message: invalidInput(rendered.errors) }
  return {
    kind: 'ready',
    shown: showRequest(rendered.request),
    digest: digestRequest(rendered.request),
    send: async (signal) => {
      const outcome = await sendFrozen(ctx, connector, rendered.request, `tool ${tool.name}`, signal)
      await noteContact(ctx, tool, outcome)
      return toToolAnswer(ctx, outcome, tool.outputSchema)
    },
  }
}

const notReached = new Set(['timeout', 'dns_failed', 'blocked_address', 'tls_failed', 'connection_failed'])

async function noteContact(ctx: Context, tool: CallableTool, outcome: SendOutcome): Promise<void> {
  const used = { id: tool.connectorId, version: tool.connectorVersion }
  if (outcome.ok) await ctx.noteHealth(used, null)
  else if (notReached.has(outcome.code)) await ctx.noteHealth(used, outcome.message)
}

/** Validated against the schema first; then each input gets its place, with its numbers as the model wrote them. */
export function renderRequest(
  ctx: Pick<Context, 'schemas'>,
  connector: Draft,
  tool: DraftTool,
  input: unknown,
  callId: string,
): { ok: true; request: FrozenRequest } | { ok: false; errors: InputError[] } {
  const checked = checkInput(ctx.schemas, tool.inputSchema, input)
  return checked.ok ? buildRequest(tool, requestConnector(connector), checked.input, callId) : checked
}

export async function sendFrozen(
  ctx: Pick<Context, 'egress'>,
  connector: Draft,
  request: FrozenRequest,
  purpose: string,
  signal?: AbortSignal,
): Promise<SendOutcome> {
  const { timeoutMs } = connector
  return await sendRequest(ctx, request, requestSecrets(connector), { timeoutMs, purpose, signal })
}

function requestConnector(connector: Draft): RequestConnector {
  return {
    baseUrl: connector.baseUrl,
    defaultHeaders: Object.fromEntries(
      connector.headers.map(({ name, value }) => [name, value instanceof Secret ? null : value]),
    ),
    authType: connector.authType,
    authHeaderName: connector.authHeaderName,
    hasAuthValue: connector.authValue !== null,
  }
}

function invalidInput(errors: readonly InputError[]): string {
  const lines = errors.map(({ pointer, detail }) => `${pointer === '' ? 'The input' : pointer}: ${detail}`)
  return `The input does not fit the tool, so nothing was sent.\n${lines.join('\n')}`
}
