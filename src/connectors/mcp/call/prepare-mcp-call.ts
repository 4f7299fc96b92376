import { createHash } from 'node:crypto'
import type { FieldError } from '../../../http/problems.ts'
import type { Vault } from '../../../platform/crypto/vault.ts'
import type { Db } from '../../../platform/db/database.ts'
import { writePlainJson } from '../../../platform/json/write-plain-json.ts'
import { authPlacement, hiddenValue, showQueryKey } from '../../auth/auth-placement.ts'
import type { ReadyCall } from '../../call/callable-tool.ts'
import { checkInput } from '../../call/check-input.ts'
import type { JsonSchema } from '../../contract.ts'
import type { ShownRequest } from '../../http/show-request.ts'
import { shownSignature } from '../../http/signature-headers.ts'
import type { ConnectorRow, HeaderRow, ToolRow } from '../../manage/store.ts'
import type { GrantRow } from '../../oauth/grant-store.ts'
import type { Connectors } from '../../open-connectors.ts'
import { serverOf } from '../discovery/discover-tools.ts'
import { addressOf } from '../discovery/resource-tools.ts'
import { findMcpTool } from '../store.ts'
import { callServer } from './call-server.ts'
import { asToolResult, resourceRequest } from './read-resource.ts'
import { toMcpAnswer } from './to-mcp-answer.ts'

type Context = {
  db: Db
  vault: Vault
  connectors: Connectors
}

/** They say nothing about the server. */
const ownReasons = new Set<string>(['cancelled', 'not_connected'])

type CallConnector = { row: ConnectorRow; headers: HeaderRow[]; grant: GrantRow | null }

/** Fixes the bytes of a call. It is sent only if the tool is enabled at that moment. */
export async function prepareMcpCall(
  ctx: Context,
  connector: CallConnector,
  tool: ToolRow,
  input: unknown,
): Promise<({ ok: true } & ReadyCall) | { ok: false; errors: FieldError[] }> {
  const pin = await findMcpTool(ctx.db, tool.id)
  if (pin?.state !== 'enabled') {
    const detail = 'This tool is not enabled, or the server has changed it since.'
    return { ok: false, errors: [{ pointer: '', detail }] }
  }
  // The text was checked before it was written.
  const inputSchema = JSON.parse(tool.inputSchema) as JsonSchema
  const checked = checkInput(ctx.connectors.schemas, inputSchema, input)
  if (!checked.ok) return checked
  // The text was made from an object when the tool was found.
  const address = addressOf(tool.name, JSON.parse(pin.found) as Record<string, unknown>)
  const request = address
    ? await resourceRequest(address, checked.input)
    : { method: 'tools/call', params: { name: tool.name, arguments: checked.input } }
  const { row } = connector
  const server = serverOf(ctx, connector)
  const shown = showCall(connector, request)
  return {
    ok: true,
    shown,
    digest: digestCall(shown, pin.foundHash),
    async send(signal, maySend, askPerson = null, sign) {
      const isRead = tool.capability === 'read'
      const outcome = await callServer(ctx, {
        connector: row,
        server,
        ...request,
        input: checked.input,
        inputSchema,
        isRead,
        signal,
        maySend,
        askPerson,
        ...(row.signRequests && sign ? { sign } : {}),
      })
      if (outcome.kind !== 'failure') await ctx.connectors.recordHealth(row, null)
      else if (!ownReasons.has(outcome.failure.code))
        await ctx.connectors.recordHealth(row, outcome.failure.message)
      const credentials = server.auth.credentials()
      const outputSchema = tool.outputSchema === null ? null : JSON.parse(tool.outputSchema)
      return toMcpAnswer(ctx, {
        outcome: address ? asToolResult(outcome) : outcome,
        outputSchema,
        isRead,
        credentials,
      })
    },
  }
}

/** The session adds its own request number (`id`) and a progress token; everything else is what a person decides on. */
function showCall(
  { row, headers, grant }: CallConnector,
  request: { method: string; params: Record<string, unknown> },
): ShownRequest {
  const auth = authPlacement({
    ...row,
    hasAuthValue: row.authValue !== null,
    account: grant?.account ?? null,
  })
  return {
    method: 'POST',
    url: showQueryKey(row.baseUrl, auth),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...Object.fromEntries(headers.map(({ name, value }) => [name, value ?? hiddenValue])),
      ...(auth?.in === 'header' ? { [auth.name]: auth.shown } : {}),
      ...(row.signRequests ? shownSignature : {}),
    },
    body: writePlainJson({ jsonrpc: '2.0', ...request }),
  }
}

/** Also bound to the pinned object: the description that a person read is part of what was approved. */
function digestCall({ method, url, headers, body }: ShownRequest, pinnedHash: string): string {
  const bytes = JSON.stringify([method, url, Object.keys(headers), body, pinnedHash])
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
