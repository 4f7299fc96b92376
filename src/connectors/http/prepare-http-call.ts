import type { FieldError } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { Secret } from '../../platform/secret.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import { missingScopes } from '../auth/missing-scopes.ts'
import type { ReadyCall } from '../call/callable-tool.ts'
import { checkInput } from '../call/check-input.ts'
import { toToolAnswer } from '../call/to-tool-answer.ts'
import type { Draft, DraftTool } from '../manage/draft/draft.ts'
import { draftFromRows } from '../manage/get-connector.ts'
import type { ConnectorRow, HeaderRow, ToolRow } from '../manage/store.ts'
import { authenticatorOf } from '../oauth/grant-authenticator.ts'
import type { GrantRow } from '../oauth/grant-store.ts'
import type { Connectors } from '../open-connectors.ts'
import { buildRequest, type FrozenRequest, type RequestConnector } from './build-request.ts'
import { type SendOutcome, sendRequest } from './send-request.ts'
import { digestRequest, showRequest } from './show-request.ts'

export type HttpCallContext = {
  vault: Vault
  egress: Egress
  connectors: Pick<Connectors, 'schemas' | 'recordHealth' | 'grants'>
}

/** What is the same for every call of a connector; its secrets are opened. */
export type OpenedConnector = {
  row: ConnectorRow
  timeoutMs: number | null
  settings: RequestConnector
  auth: Authenticator
}

export function openConnector(
  ctx: Pick<HttpCallContext, 'vault' | 'connectors'>,
  { row, headers, grant }: { row: ConnectorRow; headers: HeaderRow[]; grant: GrantRow | null },
): OpenedConnector {
  const draft = draftFromRows(ctx, { row, headers, tools: [] })
  return {
    row,
    timeoutMs: draft.timeoutMs,
    settings: requestConnector(draft, grant?.account ?? null),
    auth: authenticatorOf(ctx, row.id, draft),
  }
}

/** Validates the input, then places each part of it. Numbers stay as the model wrote them. */
export function prepareHttpCall(
  ctx: HttpCallContext,
  { row, timeoutMs, settings, auth }: OpenedConnector,
  tool: DraftTool & Pick<ToolRow, 'modelName'>,
  input: unknown,
  callId: string,
): ({ ok: true } & ReadyCall) | { ok: false; errors: FieldError[] } {
  const checked = checkInput(ctx.connectors.schemas, tool.inputSchema, input)
  if (!checked.ok) return checked
  const built = buildRequest(tool, settings, checked.input, callId)
  if (!built.ok) return built
  const { request } = built
  return {
    ok: true,
    shown: showRequest(request),
    digest: digestRequest(request),
    async send(signal, maySend, _askPerson, sign) {
      const options = { timeoutMs, purpose: `tool ${tool.modelName}`, signal, maySend, sign }
      const outcome = await sendAuthenticated(ctx, request, auth, options)
      await recordContact(ctx, row, outcome)
      return toToolAnswer(ctx, outcome, {
        outputSchema: tool.outputSchema,
        isRead: tool.capability === 'read',
      })
    },
  }
}

/** A request that got a 401 was not executed, so it may be sent once more with a new token. */
async function sendAuthenticated(
  ctx: HttpCallContext,
  request: FrozenRequest,
  auth: Authenticator,
  options: Parameters<typeof sendRequest>[3],
): Promise<SendOutcome> {
  const secrets = await auth.secrets()
  if ('refused' in secrets)
    return { ok: false, code: 'denied', message: secrets.refused, mayHaveArrived: false }
  const outcome = await sendRequest(ctx, request, secrets, options)
  const scopes = outcome.ok ? missingScopes(outcome.status, outcome.challenge) : null
  if (scopes !== null) await auth.lacks(scopes)
  const renewed = outcome.ok && outcome.status === 401 ? await auth.renew(secrets) : null
  return renewed ? await sendRequest(ctx, request, renewed, options) : outcome
}

const notReached = new Set(['timeout', 'dns_failed', 'blocked_address', 'tls_failed', 'connection_failed'])

async function recordContact(ctx: HttpCallContext, used: ConnectorRow, outcome: SendOutcome): Promise<void> {
  if (outcome.ok) await ctx.connectors.recordHealth(used, null)
  else if (notReached.has(outcome.code)) await ctx.connectors.recordHealth(used, outcome.message)
}

function requestConnector(connector: Draft, account: string | null): RequestConnector {
  return {
    baseUrl: connector.baseUrl,
    defaultHeaders: Object.fromEntries(
      connector.headers.map(({ name, value }) => [name, value instanceof Secret ? null : value]),
    ),
    authType: connector.authType,
    authName: connector.authName,
    hasAuthValue: connector.authValue !== null,
    account,
    signRequests: connector.signRequests,
  }
}
