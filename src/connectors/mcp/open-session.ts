import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { isObject } from '../../platform/json/is-object.ts'
import type { Secret } from '../../platform/secret.ts'
import { explainMcpFailure, McpFailure } from './mcp-failure.ts'
import { watchAnswers } from './watch-answers.ts'

type Context = { egress: Egress }

export type McpServer = { url: string; token: Secret | null; timeoutMs: number }

type RequestOptions = { signal?: AbortSignal; maxTotalMs?: number }

/** One conversation with a server. It serves one request at a time, so whatever breaks belongs to that request. */
export type McpSession = AsyncDisposable & {
  readonly transport: 'streamable-http' | 'sse'
  /** The server keeps nothing between two requests, so there is nothing that it could have forgotten. */
  readonly isStateless: boolean
  readonly server: { name: string; version: string }
  readonly protocolVersion: string
  isAlive(): boolean
  /** The result as it came. Rejects with what the SDK throws: `explainMcpFailure` says what it means. */
  request(
    method: string,
    params: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<Record<string, unknown>>
}

/** The SDK's own shapes would drop and reorder keys. */
const asItCame = z.looseObject({})

const version = '1'
const maxAnswerBytes = 10 * 1024 * 1024
/** A stream on which nobody has anything to say is no fault. */
const quietStreamMs = 10 * 60_000
/** Time for the SDK to take up an interrupted stream again, where the server allows that. */
const resumeMs = 6_000
const goodbyeMs = 2_000
const streaming = {
  onInsufficientScope: 'throw',
  reconnectionOptions: {
    initialReconnectionDelay: 500,
    maxReconnectionDelay: 5_000,
    reconnectionDelayGrowFactor: 2,
    maxRetries: 3,
  },
} as const
const silent = 'The server opens a stream and says nothing on it.'

type Way = Pick<McpSession, 'transport' | 'isStateless'>

const usual: Way = { transport: 'streamable-http', isStateless: false }
const newest: Way = { transport: 'streamable-http', isStateless: true }
const oldest: Way = { transport: 'sse', isStateless: false }

/** The revision that has done away with handshake and sessions. */
const statelessRevision = '2026-07-28'

/**
 * Streamable HTTP with a handshake first, which nearly every server knows; then, for servers that know nothing else, the
 * revision without one, and HTTP with SSE. Every request of all of them goes through the guarded door.
 */
export async function openMcpSession(
  ctx: Context,
  server: McpServer,
  onToolsChanged: () => void = () => undefined,
): Promise<McpSession> {
  try {
    return await connect(ctx, server, usual, onToolsChanged)
  } catch (error) {
    const failure = explainMcpFailure(error, server.token)
    const session = failure.mayBeNewer
      ? await connect(ctx, server, newest, onToolsChanged).catch(() => null)
      : null
    if (session) return session
    if (!failure.mayBeOlder) throw failure
    return await connect(ctx, server, oldest, onToolsChanged).catch((last: unknown) => {
      // What the first attempt met says more, unless the last one got further.
      const later = explainMcpFailure(last, server.token)
      throw later.code === 'connection_failed' ? failure : later
    })
  }
}

async function connect(
  { egress }: Context,
  { url, token, timeoutMs }: McpServer,
  { transport, isStateless }: Way,
  onToolsChanged: () => void,
): Promise<McpSession> {
  const sdk = await import('@modelcontextprotocol/client')
  let alive = true
  let resuming: NodeJS.Timeout | undefined
  let waiting: { reject(failure: McpFailure): void } | null = null
  const lose = (failure: McpFailure) => {
    alive = false
    waiting?.reject(failure)
    void client.close().catch(() => undefined)
  }
  const cut = () =>
    lose(new McpFailure('connection_failed', 'The server ended the connection in the middle of the answer.'))

  const watch = watchAnswers({
    calls: egress.openFetch({ headersTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs }, 'an MCP server'),
    streams: egress.openFetch({ headersTimeoutMs: timeoutMs, idleTimeoutMs: quietStreamMs }, 'an MCP server'),
    maxBytes: maxAnswerBytes,
    onTooLarge: lose,
    onStream({ method, resumes, ended, retryMs }) {
      clearTimeout(resuming)
      if (!ended) return
      // The older transport has one stream for everything; a new one would be another session.
      if (transport === 'sse') return cut()
      if (waiting && (method === 'POST' || resumes)) resuming = setTimeout(cut, resumeMs + retryMs)
    },
  })
  const options = {
    fetch: watch.fetch,
    ...(token ? { authProvider: { token: async () => token.reveal() } } : {}),
  }
  const wire =
    transport === 'sse'
      ? new sdk.SSEClientTransport(new URL(url), options)
      : new sdk.StreamableHTTPClientTransport(new URL(url), { ...options, ...streaming })
  const client: Client = new sdk.Client(
    { name: 'bellhop', version },
    isStateless
      ? { versionNegotiation: { mode: { pin: statelessRevision } } }
      : { listChanged: { tools: { autoRefresh: false, onChanged: onToolsChanged } } },
  )
  client.onclose = () => {
    alive = false
  }
  const mute = Promise.withResolvers<never>()
  // The SDK waits without an end for the first word on a stream of the older transport.
  const patience = setTimeout(() => mute.reject(new McpFailure('connection_failed', silent)), 2 * timeoutMs)
  try {
    await Promise.race([client.connect(wire, { timeout: timeoutMs }), mute.promise])
  } catch (error) {
    await client.close().catch(() => undefined)
    throw error
  } finally {
    clearTimeout(patience)
  }
  const info = client.getServerVersion()
  return {
    transport,
    isStateless,
    server: { name: info?.name ?? 'unnamed', version: info?.version ?? '' },
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    isAlive: () => alive,
    async request(method, params, { signal, maxTotalMs } = {}) {
      const lost = Promise.withResolvers<never>()
      waiting = lost
      watch.countAnew()
      try {
        const answer = client.request({ method, params }, asItCame, {
          timeout: timeoutMs,
          ...(signal ? { signal } : {}),
          // A server that tells of its progress is alive: it gets more time, but not for ever.
          ...(maxTotalMs
            ? { maxTotalTimeout: maxTotalMs, resetTimeoutOnProgress: true, onprogress: () => undefined }
            : {}),
        })
        const result = await Promise.race([answer, lost.promise])
        return isStateless ? withoutEnvelope(result) : result
      } finally {
        waiting = null
        clearTimeout(resuming)
      }
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(resuming)
      if (alive && wire instanceof sdk.StreamableHTTPClientTransport) {
        await Promise.race([
          wire.terminateSession().catch(() => undefined),
          new Promise((resolve) => setTimeout(resolve, goodbyeMs).unref()),
        ])
      }
      alive = false
      await client.close().catch(() => undefined)
    },
  }
}

/** Where there is no session, each answer says again who gives it. That is the protocol's, and no part of the result. */
function withoutEnvelope(result: Record<string, unknown>): Record<string, unknown> {
  const { _meta: meta, ...rest } = result
  if (!isObject(meta)) return result
  const own = Object.entries(meta).filter(([key]) => !key.startsWith('io.modelcontextprotocol/'))
  return own.length === 0 ? rest : { ...result, _meta: Object.fromEntries(own) }
}
