import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { Agent, type Dispatcher } from 'undici'
import type { Dial } from './dial.ts'
import { blocked, EgressError } from './egress-error.ts'
import { judgeUrl } from './judge-url.ts'
import type { Policy } from './parse-policy.ts'
import type { ResolveHost } from './resolve-host.ts'
import { vetHost } from './vet-host.ts'

export type GuardContext = {
  policy: Policy
  ownOrigins: () => readonly string[]
  resolveHost: ResolveHost
  dial: Dial
  connectTimeoutMs: number
}

type Guarded = {
  dispatcher: Dispatcher
  /** For requests whose URL was judged already. Addresses are checked all the same. */
  judgedBefore: Dispatcher
  close: () => Promise<void>
}

/**
 * An undici dispatcher that cannot reach a refused address. URL rules are checked for every request; names are resolved and
 * addresses checked for every new connection. A kept-alive connection stays on the address that was checked.
 */
export function guardDispatcher(
  ctx: GuardContext,
  onConnected: (socket: Socket | TLSSocket) => void = () => undefined,
  onFault: (fault: EgressError) => void = () => undefined,
): Guarded {
  const agent = new Agent({
    pipelining: 1,
    maxHeaderSize: 64 * 1024,
    // The callers enforce all limits: see send-guarded.ts and fetch-through.ts.
    headersTimeout: 0,
    bodyTimeout: 0,
    webSocket: { maxPayloadSize: 16 * 1024 * 1024 },
    connect: (options, callback) => {
      connectGuarded(ctx, options).then(
        (socket) => {
          onConnected(socket)
          callback(null, socket)
        },
        (error: unknown) => {
          const fault = asEgressError(error)
          onFault(fault)
          callback(fault, null)
        },
      )
    },
  })
  const judged = agent.compose((dispatch) => (options, handler) => {
    const verdict = judgeUrl(ctx.policy, ctx.ownOrigins(), String(options.origin))
    if (!verdict.ok) {
      const fault = blocked(verdict.refusal)
      onFault(fault)
      throw fault
    }
    return dispatch(options, handler)
  })
  return { dispatcher: judged, judgedBefore: agent, close: () => agent.destroy() }
}

type ConnectOptions = { hostname: string; protocol: string; port: string }

async function connectGuarded(ctx: GuardContext, options: ConnectOptions): Promise<Socket | TLSSocket> {
  const deadline = performance.now() + ctx.connectTimeoutMs
  const host = options.hostname.includes(':') ? `[${options.hostname}]` : options.hostname
  const port = options.port === '' ? '' : `:${options.port}`
  const verdict = judgeUrl(ctx.policy, ctx.ownOrigins(), `${options.protocol}//${host}${port}`)
  if (!verdict.ok) throw blocked(verdict.refusal)
  const addresses = await vetHost(ctx, verdict, ctx.connectTimeoutMs)
  return ctx.dial({ protocol: options.protocol, host: verdict.host, port: verdict.port }, addresses, deadline)
}

function asEgressError(error: unknown): EgressError {
  if (error instanceof EgressError) return error
  return new EgressError('connection_failed', 'The connection could not be made.', { cause: error })
}
