import type { FieldError } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { type HttpCallContext, prepareHttpCall } from '../http/prepare-http-call.ts'
import type { ConnectorRow, HeaderRow, ToolRow } from '../manage/store.ts'
import { explainUndecryptable } from '../manage/undecryptable-secrets.ts'
import { prepareMcpCall } from '../mcp/call/prepare-mcp-call.ts'
import type { McpSessions } from '../mcp/session/open-sessions.ts'
import { explainMissingGrant } from '../oauth/grant-authenticator.ts'
import type { GrantRow } from '../oauth/grant-store.ts'
import type { PreparedCall, ReadyCall } from './callable-tool.ts'

type CallConnector = { row: ConnectorRow; headers: HeaderRow[]; grant: GrantRow | null }

export type CallContext = HttpCallContext & { db: Db; mcpSessions: McpSessions }

/** Fixes the bytes of a call. */
export async function prepareCall(
  ctx: CallContext,
  connector: CallConnector,
  tool: ToolRow,
  input: unknown,
  callId: string,
): Promise<PreparedCall> {
  const lost = explainUndecryptable(ctx, connector) ?? explainMissingGrant(connector.row, connector.grant)
  if (lost) return { kind: 'refused', message: lost }
  const prepared = await prepareFor(ctx, connector, tool, input, callId)
  return prepared.ok
    ? { kind: 'ready', ...prepared }
    : { kind: 'invalid', message: invalidInput(prepared.errors), errors: prepared.errors }
}

export async function prepareFor(
  ctx: CallContext,
  connector: CallConnector,
  tool: ToolRow,
  input: unknown,
  callId: string,
): Promise<({ ok: true } & ReadyCall) | { ok: false; errors: FieldError[] }> {
  return connector.row.type === 'mcp'
    ? await prepareMcpCall(ctx, connector, tool, input)
    : prepareHttpCall(ctx, connector, tool, input, callId)
}

function invalidInput(errors: readonly FieldError[]): string {
  const lines = errors.map(({ pointer, detail }) => `${pointer === '' ? 'The input' : pointer}: ${detail}`)
  return `The input does not fit the tool, so nothing was sent.\n${lines.join('\n')}`
}
