import type { FieldError } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { type HttpCallContext, openConnector, prepareHttpCall } from '../http/prepare-http-call.ts'
import { draftToolFromRow } from '../manage/get-connector.ts'
import type { ConnectorRow, HeaderRow, ToolRow } from '../manage/store.ts'
import { explainUndecryptable } from '../manage/undecryptable-secrets.ts'
import { prepareMcpCall } from '../mcp/call/prepare-mcp-call.ts'
import { explainMissingGrant } from '../oauth/grant-authenticator.ts'
import type { GrantRow } from '../oauth/grant-store.ts'
import type { Connectors } from '../open-connectors.ts'
import type { FoundTool, ReadyCall } from './callable-tool.ts'

type CallConnector = { row: ConnectorRow; headers: HeaderRow[]; grant: GrantRow | null }

export type CallContext = HttpCallContext & { db: Db; connectors: Connectors }

type Prepare = (
  input: unknown,
  callId: string,
) => Promise<({ ok: true } & ReadyCall) | { ok: false; errors: FieldError[] }>

/** Fixes the bytes of calls. What the rows say is read once for all of them, and the connector's secrets are opened once. */
export function openCalls(ctx: CallContext, connector: CallConnector): (tool: ToolRow) => Prepare {
  if (connector.row.type === 'mcp') return (tool) => (input) => prepareMcpCall(ctx, connector, tool, input)
  const opened = openConnector(ctx, connector)
  return (row) => {
    const tool = { ...draftToolFromRow(row), modelName: row.modelName }
    return async (input, callId) => prepareHttpCall(ctx, opened, tool, input, callId)
  }
}

/** The same for the gate. Opened by the first call, since few of thousands of tools are called. */
export function openCallsLater(
  ctx: CallContext,
  connector: CallConnector,
): (tool: ToolRow) => FoundTool['prepare'] {
  let calls: ReturnType<typeof openCalls> | undefined
  return (tool) => {
    let prepare: Prepare | undefined
    return async (input, callId) => {
      if (!prepare) {
        const lost =
          explainUndecryptable(ctx, connector) ?? explainMissingGrant(connector.row, connector.grant)
        if (lost) return { kind: 'refused', message: lost }
        calls ??= openCalls(ctx, connector)
        prepare = calls(tool)
      }
      const prepared = await prepare(input, callId)
      return prepared.ok
        ? { kind: 'ready', ...prepared }
        : { kind: 'invalid', message: invalidInput(prepared.errors), errors: prepared.errors }
    }
  }
}

function invalidInput(errors: readonly FieldError[]): string {
  const lines = errors.map(({ pointer, detail }) => `${pointer === '' ? 'The input' : pointer}: ${detail}`)
  return `The input does not fit the tool, so nothing was sent.\n${lines.join('\n')}`
}
