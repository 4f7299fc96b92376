import type { ConnectorId } from '../../ids.ts'
import { isDeeperThan, writableDepth } from '../../platform/json/is-deeper-than.ts'
import { explainMcpFailure, McpFailure } from './mcp-failure.ts'
import type { McpServer } from './open-session.ts'
import type { Loan, McpSessions } from './open-sessions.ts'

type Context = { mcpSessions: McpSessions }

export type ServerCall = {
  connector: { id: ConnectorId; version: number }
  server: McpServer
  params: { name: string; arguments: Record<string, unknown> }
  /** May be sent again if the connection breaks. */
  isRead: boolean
  signal: AbortSignal
}

export type CallResult = Record<string, unknown>

export type CallOutcome =
  | { kind: 'result'; result: CallResult }
  /** An error of the protocol: the server understood and said no. */
  | { kind: 'error'; code: number; message: string }
  | { kind: 'failure'; failure: McpFailure }

const maxTotalMs = 5 * 60_000

/**
 * One call. A session that the server has forgotten is replaced. A read whose connection breaks is sent once more; anything
 * else is sent at most once, for nobody knows how far it got.
 */
export async function callServer(ctx: Context, call: ServerCall): Promise<CallOutcome> {
  const first = await attempt(ctx, call, false)
  if (first.kind !== 'failure' || call.signal.aborted || !first.wasKept) return first
  const { failure } = first
  const mayRepeat = failure.sessionEnded || (call.isRead && failure.code === 'connection_failed')
  return mayRepeat ? await attempt(ctx, call, true) : first
}

type Attempt = CallOutcome & { wasKept: boolean }

async function attempt(ctx: Context, call: ServerCall, fresh: boolean): Promise<Attempt> {
  let loan: Loan
  try {
    loan = await borrowLive(ctx, call, fresh)
  } catch (error) {
    const { code, plainMessage, said } = explainMcpFailure(error)
    // There was no session to send it on.
    const failure = new McpFailure(code, plainMessage, { said, tookNoEffect: true, cause: error })
    return { kind: 'failure', failure, wasKept: false }
  }
  const wasKept = !loan.isFresh
  try {
    const options = { signal: call.signal, maxTotalMs }
    const result = await loan.session.request('tools/call', call.params, options)
    loan.giveBack()
    if (isDeeperThan(result, writableDepth)) {
      const failure = new McpFailure('bad_answer', 'The server’s answer is nested too deeply to be read.')
      return { kind: 'failure', failure, wasKept: false }
    }
    return { kind: 'result', result, wasKept }
  } catch (error) {
    if (isProtocolError(error)) {
      loan.giveBack()
      return { kind: 'error', code: error.code, message: error.message, wasKept }
    }
    loan.drop()
    const failure = call.signal.aborted
      ? new McpFailure('cancelled', 'The call was cancelled.', { cause: error })
      : explainMcpFailure(error)
    return { kind: 'failure', failure, wasKept }
  }
}

/** Before anything that must not be sent twice, a kept session has to prove that it is still there. */
async function borrowLive({ mcpSessions }: Context, call: ServerCall, fresh: boolean): Promise<Loan> {
  const loan = await mcpSessions.borrow(call.connector, call.server, { fresh })
  if (loan.isFresh || call.isRead) return loan
  try {
    await loan.session.request('ping', {}, { signal: call.signal })
    return loan
  } catch (error) {
    // Servers need not know ping; an answer is an answer.
    if (isProtocolError(error)) return loan
    loan.drop()
    return await mcpSessions.borrow(call.connector, call.server, { fresh: true })
  }
}

function isProtocolError(error: unknown): error is Error & { code: number } {
  return (
    error instanceof Error &&
    error.name === 'ProtocolError' &&
    'code' in error &&
    typeof error.code === 'number'
  )
}
