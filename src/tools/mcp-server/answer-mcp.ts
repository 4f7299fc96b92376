import type { CallableTool, ToolAnswer, Tools } from '../../connectors/call/callable-tool.ts'
import { tooManyValues } from '../../http/problems.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import { preferredWait } from '../../platform/http-server/preferred-wait.ts'
import { hasTooManyValues } from '../../platform/json/has-too-many-values.ts'
import { isDeeperThan, writableDepth } from '../../platform/json/is-deeper-than.ts'
import { isObject } from '../../platform/json/is-object.ts'
import { parseExactJson } from '../../platform/json/parse-exact-json.ts'
import { roundNumbers } from '../../platform/json/round-numbers.ts'
import type { Log } from '../../platform/log.ts'
import type { Actor } from '../../shared/actor.ts'
import type { ApprovalId, RunId, UserId } from '../../shared/ids.ts'
import type { Requester } from '../gate/requester.ts'
import { listTools } from '../list-tools.ts'
import { type CallResult, toCallResult } from './to-call-result.ts'

export type ServedCall = { name: string; input: unknown; requester: Requester; waitMs: number }

export type Served =
  /** `note`: what the client must know beside the answer. */
  | { kind: 'answered'; runId: RunId; answer: ToolAnswer; note: string | null }
  /** For an admin, or, once approved, for the answer. */
  | { kind: 'waiting' | 'sending'; runId: RunId; approvalId: ApprovalId }
  | { kind: 'paused' }

export type ServeContext = {
  publicUrl: string
  replica: { version: string }
  log: Log
  tools: Pick<Tools, 'list'>
  runs: {
    /** A run with one tool call, through the gate. */
    serveCall(asked: ServedCall): Promise<Served>
  }
}

const maxBytes = 1024 * 1024
const defaultWaitSeconds = 20
const maxWaitSeconds = 50

/** Answers one request of an MCP client. No state is kept between requests, so any replica can answer any of them. */
export async function answerMcp(ctx: ServeContext, actor: Actor, request: Request): Promise<Response> {
  const { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } = await import(
    '@modelcontextprotocol/server'
  )
  const preferred = preferredWait(request.headers.get('prefer')) ?? defaultWaitSeconds
  const waitMs = Math.min(preferred, maxWaitSeconds) * 1000
  const handler = createMcpHandler(() => {
    const server = new Server(
      { name: 'bellhop', version: ctx.replica.version },
      { capabilities: { tools: {} }, instructions },
    )
    server.setRequestHandler('tools/list', () =>
      withoutDetails(ctx, async () => ({ tools: (await listTools(ctx, null)).map(toMcpTool) })),
    )
    server.setRequestHandler(
      'tools/call',
      async ({ params: { name, arguments: input = {} } }, { mcpReq }) => {
        const known = await withoutDetails(ctx, () => ctx.tools.list())
        if (!known.some((tool) => tool.name === name))
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${cutName(name)}`)
        const asked = { name: cutName(replaceNul(name)), input, requester: requesterOf(actor), waitMs }
        if (isDeeperThan(input, writableDepth)) return tooDeep
        using _progress = reportProgress(mcpReq)
        return await withoutDetails(ctx, () => call(ctx, asked))
      },
    )
    return server
  })
  if (request.method !== 'POST') return await handler.fetch(request)
  // A body that is not JSON is left to the SDK to refuse.
  const bytes = await request.clone().arrayBuffer()
  if (hasTooManyValues(new Uint8Array(bytes), maxBytes)) throw tooManyValues(maxBytes)
  const parsedBody = readMessage(new TextDecoder().decode(bytes))
  return await handler.fetch(request, parsedBody === undefined ? {} : { parsedBody })
}

type Asked = {
  _meta?: { progressToken?: string | number }
  notify(notification: { method: string; params: Record<string, unknown> }): Promise<void>
}

const progressMs = 5_000

/** Clients with a time limit wait longer if they hear that the call goes on. */
function reportProgress({ _meta: meta, notify }: Asked): Disposable {
  const progressToken = meta?.progressToken
  if (progressToken === undefined) return { [Symbol.dispose]: () => undefined }
  let progress = 0
  const tell = () => {
    const params = { progressToken, progress: progress++, message: 'Bellhop is working on it.' }
    // The client may be gone; the call goes on.
    notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
  tell()
  const timer = setInterval(tell, progressMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Far longer than any tool's name. What is cut off cannot make it one: no name has the mark at its end. */
const maxNameLength = 200

function cutName(name: string): string {
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength).toWellFormed()}…` : name
}

/** Errors are logged here; the SDK would show them to the client. */
async function withoutDetails<T>({ log }: ServeContext, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    log.error({ err: error }, 'mcp.failed')
    throw new Error('Bellhop failed to answer. The server log has the details.')
  }
}

async function call(ctx: ServeContext, asked: ServedCall): Promise<CallResult> {
  const served = await ctx.runs.serveCall(asked)
  switch (served.kind) {
    case 'answered':
      return withNote(toCallResult(served.answer, served.runId), served.note)
    case 'waiting':
    case 'sending':
      return {
        content: [
          { type: 'text', text: served.kind === 'waiting' ? askedText(ctx, served) : sentText(ctx, served) },
        ],
        _meta: { 'bellhop/runId': served.runId, 'bellhop/approvalId': served.approvalId },
      }
    case 'paused':
      return { content: [{ type: 'text', text: paused }], isError: true }
    default:
      throw new Error(`Unhandled outcome ${served satisfies never}`)
  }
}

/** After the answer, which clients may read by its place. */
function withNote(result: CallResult, note: string | null): CallResult {
  return note === null ? result : { ...result, content: [...result.content, { type: 'text', text: note }] }
}

type Unanswered = { runId: RunId; approvalId: ApprovalId }

function askedText({ publicUrl }: ServeContext, { runId, approvalId }: Unanswered): string {
  return (
    `This call waits for approval, so it has not been sent yet: ${publicUrl}/approvals/${approvalId}\n` +
    `Once approved, it is sent automatically, and its result is shown at ${publicUrl}/runs/${runId}\n` +
    'Calling the tool again with the same input waits for the same approval.'
  )
}

function sentText({ publicUrl }: ServeContext, { runId }: Unanswered): string {
  return (
    'This call was approved. It was sent, and its answer has not come yet.\n' +
    `The answer is shown at ${publicUrl}/runs/${runId}\n` +
    'Until it comes, calling the tool again with the same input waits for it and sends nothing.'
  )
}

/** The schema as it was written. The output schema is passed separately: MCP would require every answer to fit it, even "please wait". */
function toMcpTool({ name, description, inputSchema, outputSchema, capability }: CallableTool) {
  return {
    name,
    description,
    // MCP demands it, and clients refuse the whole list because of one schema without it. Every input is an object anyway.
    inputSchema: { ...(isObject(inputSchema) ? inputSchema : {}), type: 'object' as const },
    annotations: { readOnlyHint: capability === 'read', destructiveHint: capability === 'destructive' },
    ...(outputSchema ? { _meta: { 'bellhop/outputSchema': outputSchema } } : {}),
  }
}

function requesterOf({ kind, id, name, role }: Actor): Requester {
  const isAdmin = role === 'admin'
  // The id of an actor who is a user is that of the user.
  return kind === 'user' ? { kind, id: id as UserId, name, isAdmin } : { kind: 'api-key', id, name, isAdmin }
}

const tooDeep: CallResult = {
  content: [
    { type: 'text', text: `error invalid_input: The input is nested deeper than ${writableDepth} levels.` },
  ],
  isError: true,
}
const instructions =
  'The tools that this team has connected to Bellhop. Reads run at once; writes wait for an admin’s approval.'
const paused = 'Bellhop is paused by an admin, so no tool is called. Ask an admin to resume it.'

/**
 * Parses a client's message for the SDK. The SDK would round long numbers; in a tool's input they stay as written. Undefined if
 * the text is not JSON.
 */
function readMessage(text: string): unknown {
  const message = parseExactJson(text)
  return Array.isArray(message) ? message.map(roundAround) : roundAround(message)
}

function roundAround(message: unknown): unknown {
  const rounded = roundNumbers(message)
  if (!isObject(message) || !isObject(message.params) || !isObject(rounded) || !isObject(rounded.params)) {
    return rounded
  }
  const { arguments: input } = message.params
  return input === undefined ? rounded : { ...rounded, params: { ...rounded.params, arguments: input } }
}
