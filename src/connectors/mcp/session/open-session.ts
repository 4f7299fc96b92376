import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { Client, ElicitResult } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { Egress } from '../../../platform/egress/open-egress.ts'
import { isObject } from '../../../platform/json/is-object.ts'
import type { AskPerson, PersonAnswer, SignRequest } from '../../call/callable-tool.ts'
import { explainMcpFailure, McpFailure } from '../mcp-failure.ts'
import type { McpServer } from '../mcp-server.ts'
import { authenticatedFetch } from './authenticated-fetch.ts'
import { limitMcpTraffic } from './limit-mcp-traffic.ts'
import { openQuestions, type Questions } from './open-questions.ts'
import { startSilenceClock } from './silence-clock.ts'

type Context = { egress: Egress }

type RequestOptions = {
  signal?: AbortSignal
  maxTotalMs?: number
  headers?: Record<string, string>
  /** Who answers what the server asks a person. Without it, the questions are the result. */
  askPerson?: AskPerson | null
  sign?: SignRequest
}

/** One session with a server. It serves one request at a time, so any failure belongs to that request. */
export type McpSession = AsyncDisposable & {
  readonly transport: 'streamable-http' | 'sse'
  /** The server keeps no state between requests, so it cannot forget a session. */
  readonly isStateless: boolean
  readonly server: { name: string; version: string }
  readonly protocolVersion: string
  /** What the server says that it has. */
  readonly offers: { tools: boolean; resources: boolean; prompts: boolean }
  isAlive(): boolean
  /** What the server has sent since the last request began. */
  receivedBytes(): number
  /** The result as it came. Rejects with what the SDK throws; `explainMcpFailure` interprets that. */
  request(
    method: string,
    params: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<Record<string, unknown>>
}

/** The SDK's own schemas would drop and reorder keys. */
const asItCame = z.looseObject({})

const version = '1'
const maxAnswerBytes = 10 * 1024 * 1024
/** A stream may be silent this long: the server may have nothing to send. */
const quietStreamMs = 10 * 60_000
/** Time for the SDK to resume an interrupted stream, if the server allows that. */
const resumeMs = 6_000
const closeTimeoutMs = 2_000
/** However short or long a pause a server asks for: without it, one that ends each stream at once would be asked without end. */
const leastPauseMs = 500
const streaming = {
  onInsufficientScope: 'throw',
  reconnectionOptions: {
    initialReconnectionDelay: leastPauseMs,
    maxReconnectionDelay: 5_000,
    reconnectionDelayGrowFactor: 2,
    maxRetries: 3,
  },
  reconnectionScheduler(reconnect: () => void, delayMs: number) {
    const timer = setTimeout(reconnect, Math.min(Math.max(delayMs, leastPauseMs), quietStreamMs))
    return () => clearTimeout(timer)
  },
} as const
/** Longer than anybody is given to answer a question; our own clock ends a call much earlier. */
const longestCallMs = 60 * 60_000
const silent = 'The server opened a stream but sent nothing.'

type Variant = Pick<McpSession, 'transport' | 'isStateless'>

const usual: Variant = { transport: 'streamable-http', isStateless: false }
const newest: Variant = { transport: 'streamable-http', isStateless: true }
const oldest: Variant = { transport: 'sse', isStateless: false }

/** The revision that abolished handshake and sessions. */
const statelessRevision = '2026-07-28'

/**
 * Tries Streamable HTTP with a handshake first, which nearly every server knows; then the revision without one, and HTTP with
 * SSE, for servers that know nothing else. Every request goes through the guarded egress.
 */
export async function openMcpSession(
  ctx: Context,
  server: McpServer,
  onToolsChanged: () => void = () => undefined,
): Promise<McpSession> {
  try {
    return await connect(ctx, server, usual, onToolsChanged)
  } catch (error) {
    const failure = explainMcpFailure(error, server)
    const session = failure.mayBeNewer
      ? await connect(ctx, server, newest, onToolsChanged).catch(() => null)
      : null
    if (session) return session
    if (!failure.mayBeOlder) throw failure
    return await connect(ctx, server, oldest, onToolsChanged).catch((last: unknown) => {
      // The first failure says more, unless the last attempt got further.
      const later = explainMcpFailure(last, server)
      throw later.code === 'connection_failed' ? failure : later
    })
  }
}

async function connect(
  { egress }: Context,
  server: McpServer,
  { transport, isStateless }: Variant,
  onToolsChanged: () => void,
): Promise<McpSession> {
  const sdk = await import('@modelcontextprotocol/client')
  const { url, timeoutMs } = server
  const open = (idleTimeoutMs: number) =>
    authenticatedFetch(
      nameHandshake(egress.openFetch({ headersTimeoutMs: timeoutMs, idleTimeoutMs }, 'an MCP server')),
      server,
      () => signing,
    )
  let signing: SignRequest | null = null
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

  const watch = limitMcpTraffic({
    // A server may be silent while a person answers. The request has a time-out of its own.
    calls: open(quietStreamMs),
    streams: open(quietStreamMs),
    maxBytes: maxAnswerBytes,
    onTooLarge: lose,
    onStream({ method, resumes, ended, retryMs }) {
      // The older transport has one stream for everything, so a new stream would be a new session.
      if (transport === 'sse') return ended ? cut() : undefined
      // The stream for announcements: that it ends or opens again does not bring the answer back.
      if (method === 'GET' && !resumes) return
      clearTimeout(resuming)
      if (ended && waiting) resuming = setTimeout(cut, resumeMs + retryMs)
    },
  })
  const options = { fetch: watch.fetch }
  const wire =
    transport === 'sse'
      ? new sdk.SSEClientTransport(new URL(url), options)
      : new sdk.StreamableHTTPClientTransport(new URL(url), { ...options, ...streaming })
  const client: Client = new sdk.Client(
    { name: 'bellhop', version },
    {
      capabilities: { elicitation: { form: { applyDefaults: true }, url: {} } },
      ...(isStateless
        ? { versionNegotiation: { mode: { pin: statelessRevision } } }
        : {
            listChanged: {
              tools: { autoRefresh: false, onChanged: onToolsChanged },
              resources: { autoRefresh: false, onChanged: onToolsChanged },
              prompts: { autoRefresh: false, onChanged: onToolsChanged },
            },
          }),
    },
  )
  let questions: Questions | null = null
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq: { signal } }) =>
    questions ? toElicitResult(await questions.answer(params, signal)) : { action: 'cancel' },
  )
  client.onclose = () => {
    alive = false
  }
  const mute = Promise.withResolvers<never>()
  // The SDK waits forever for the first message on a stream of the older transport.
  const timer = setTimeout(() => mute.reject(new McpFailure('connection_failed', silent)), 2 * timeoutMs)
  try {
    await Promise.race([client.connect(wire, { timeout: timeoutMs }), mute.promise])
  } catch (error) {
    await client.close().catch(() => undefined)
    throw error
  } finally {
    clearTimeout(timer)
  }
  /** Closing would cut off what the SDK is about to send: that a call was cancelled. */
  async function takeLeave(): Promise<void> {
    await setImmediate()
    await watch.lastPost()
    if (wire instanceof sdk.StreamableHTTPClientTransport)
      await wire.terminateSession().catch(() => undefined)
  }

  const info = client.getServerVersion()
  const offered = client.getServerCapabilities()
  return {
    transport,
    isStateless,
    server: { name: info?.name ?? 'unnamed', version: info?.version ?? '' },
    offers: {
      tools: offered?.tools !== undefined,
      resources: offered?.resources !== undefined,
      prompts: offered?.prompts !== undefined,
    },
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    isAlive: () => alive,
    receivedBytes: watch.bytes,
    async request(method, params, { signal, maxTotalMs, headers, askPerson = null, sign } = {}) {
      const lost = Promise.withResolvers<never>()
      const late = new AbortController()
      // A server that reports progress is alive: it gets more time, up to a limit.
      const clock = startSilenceClock(timeoutMs, maxTotalMs ?? timeoutMs, () =>
        late.abort(new McpFailure('timeout', 'The server did not answer in time.')),
      )
      const own = openQuestions(askPerson, clock)
      waiting = lost
      questions = own
      signing = sign ?? null
      watch.resetCount()
      try {
        const answer = client.request({ method, params }, asItCame, {
          timeout: longestCallMs,
          signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
          ...(headers ? { headers } : {}),
          // If nobody answers, the question is the result.
          allowInputRequired: askPerson === null,
          ...(maxTotalMs ? { onprogress: clock.hear } : {}),
        })
        const result = await Promise.race([answer, lost.promise])
        if (own.unanswered.length > 0) return inputRequired(own.unanswered)
        return isStateless ? withoutEnvelope(result) : result
      } catch (error) {
        if (late.signal.aborted) throw late.signal.reason
        // Some servers fail if nobody answers.
        if (own.unanswered.length > 0 && !signal?.aborted) return inputRequired(own.unanswered)
        throw error
      } finally {
        clock.stop()
        waiting = null
        questions = null
        signing = null
        clearTimeout(resuming)
      }
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(resuming)
      if (alive) await Promise.race([takeLeave(), pause(closeTimeoutMs, undefined, { ref: false })])
      alive = false
      await client.close().catch(() => undefined)
    },
  }
}

/** What the newest revision answers in the place of a result. */
function inputRequired(questions: Questions['unanswered']): Record<string, unknown> {
  const inputRequests = Object.fromEntries(
    questions.map((params, index) => [`question${index + 1}`, { method: 'elicitation/create', params }]),
  )
  return { resultType: 'input_required', inputRequests }
}

/** Forms have flat values alone, which the server's own schema has checked. */
function toElicitResult({ action, content }: PersonAnswer): ElicitResult {
  return { action, ...(content ? { content: content as ElicitResult['content'] } : {}) }
}

/** Servers and gateways of the newest revision read the method from a header; those of all others ignore it. */
function nameHandshake(send: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const isHandshake = typeof init?.body === 'string' && init.body.includes('"method":"initialize"')
    if (!isHandshake) return await send(input, init)
    const headers = new Headers(init.headers)
    headers.set('mcp-method', 'initialize')
    return await send(input, { ...init, headers })
  }
}

/** Without sessions, each answer names its server again. That belongs to the protocol, not to the result. */
function withoutEnvelope(result: Record<string, unknown>): Record<string, unknown> {
  const { _meta: meta, ...rest } = result
  if (!isObject(meta)) return result
  const own = Object.entries(meta).filter(([key]) => !key.startsWith('io.modelcontextprotocol/'))
  return own.length === 0 ? rest : { ...result, _meta: Object.fromEntries(own) }
}
