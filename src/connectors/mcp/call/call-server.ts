import { isDeeperThan, writableDepth } from '../../../platform/json/is-deeper-than.ts'
import type { ConnectorId } from '../../../shared/ids.ts'
import type { AskPerson, SignRequest } from '../../call/callable-tool.ts'
import { explainMcpFailure, McpFailure } from '../mcp-failure.ts'
import type { McpServer } from '../mcp-server.ts'
import type { AcquiredSession, McpSessions } from '../session/open-sessions.ts'
import { headersForInputs } from './header-inputs.ts'

type Context = { connectors: { sessions: McpSessions } }

type ServerCall = {
  connector: { id: ConnectorId; version: number }
  server: McpServer
  method: string
  params: Record<string, unknown>
  /** The inputs of a tool. */
  input: Record<string, unknown>
  inputSchema: unknown
  /** Whether it may be sent again if the connection breaks. */
  isRead: boolean
  signal: AbortSignal
  /** Who answers what the server asks a person; null if nobody can. */
  askPerson: AskPerson | null
  /** Asked once a session is there, right before the request. */
  maySend?: () => boolean
  sign?: SignRequest
}

export type CallResult = Record<string, unknown>

export type CallOutcome =
  | { kind: 'result'; result: CallResult }
  /** A protocol error: the server understood the request and refused it. */
  | { kind: 'error'; code: number; message: string; data?: unknown }
  | { kind: 'failure'; failure: McpFailure }

const maxTotalMs = 5 * 60_000

/**
 * Makes one call. A session that the server has forgotten is replaced. A read whose connection breaks is sent once more; any
 * other call is sent at most once, since it may have had its effect.
 */
export async function callServer(ctx: Context, call: ServerCall): Promise<CallOutcome> {
  const first = await attempt(ctx, call, false)
  if (call.signal.aborted || !first.wasKept || !mayRepeat(call, first)) return first
  return await attempt(ctx, call, true)
}

function mayRepeat({ isRead }: ServerCall, outcome: CallOutcome): boolean {
  switch (outcome.kind) {
    case 'result':
      return false
    case 'error':
      return isRead && mentionsSession(outcome.message)
    case 'failure': {
      const { sessionEnded, code, isBusy } = outcome.failure
      return sessionEnded || (isRead && code === 'connection_failed' && !isBusy)
    }
    default:
      throw new Error(`Unhandled outcome ${outcome satisfies never}`)
  }
}

/** Servers should answer 404 for a session they have forgotten, but some send a protocol error instead. */
function mentionsSession(message: string): boolean {
  return /session|initiali[sz]ed/i.test(message)
}

type Attempt = CallOutcome & { wasKept: boolean }

async function attempt(ctx: Context, call: ServerCall, fresh: boolean): Promise<Attempt> {
  let acquired: AcquiredSession
  try {
    acquired = await acquireLive(ctx, call, fresh)
  } catch (error) {
    const { code, plainMessage, serverMessage } = explainMcpFailure(error, call.server)
    // The session could not be opened, so nothing was sent.
    const failure = new McpFailure(code, plainMessage, { serverMessage, tookNoEffect: true, cause: error })
    return { kind: 'failure', failure, wasKept: false }
  }
  const wasKept = !acquired.isFresh
  if (call.maySend?.() === false) {
    acquired.release()
    const failure = new McpFailure('cancelled', 'The call had ended before it was sent.', {
      tookNoEffect: true,
    })
    return { kind: 'failure', failure, wasKept: false }
  }
  try {
    const { session } = acquired
    // The revisions with a handshake know no such headers.
    const headers = session.isStateless ? headersForInputs(call.inputSchema, call.input) : {}
    const { signal, askPerson, sign } = call
    const options = { signal, maxTotalMs, headers, askPerson, ...(sign ? { sign } : {}) }
    const result = await session.request(call.method, call.params, options)
    acquired.release()
    if (isDeeperThan(result, writableDepth)) {
      const failure = new McpFailure('bad_answer', 'The server’s answer is nested too deeply to be read.')
      return { kind: 'failure', failure, wasKept: false }
    }
    return { kind: 'result', result, wasKept }
  } catch (error) {
    if (isProtocolError(error)) {
      if (mentionsSession(error.message)) acquired.discard()
      else acquired.release()
      const { code, message } = error
      const data = isDeeperThan(error.data, writableDepth) ? undefined : error.data
      return { kind: 'error', code, message, data, wasKept }
    }
    acquired.discard()
    const failure = call.signal.aborted
      ? new McpFailure('cancelled', 'The call was cancelled.', { cause: error })
      : explainMcpFailure(error, call.server)
    return { kind: 'failure', failure, wasKept }
  }
}

/** Before a call that must not be sent twice, checks that a kept session is still alive. */
async function acquireLive(
  { connectors: { sessions } }: Context,
  call: ServerCall,
  fresh: boolean,
): Promise<AcquiredSession> {
  const acquired = await sessions.acquire(call.connector, call.server, { fresh })
  if (acquired.isFresh || call.isRead || acquired.session.isStateless) return acquired
  try {
    await acquired.session.request('ping', {}, { signal: call.signal })
    return acquired
  } catch (error) {
    // Servers need not support ping, so an error is an answer too.
    if (isProtocolError(error) && !mentionsSession(error.message)) return acquired
    acquired.discard()
    return await sessions.acquire(call.connector, call.server, { fresh: true })
  }
}

function isProtocolError(error: unknown): error is Error & { code: number; data?: unknown } {
  return (
    error instanceof Error &&
    error.name === 'ProtocolError' &&
    'code' in error &&
    typeof error.code === 'number'
  )
}
