import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Dispatcher } from 'undici'
import { openDial } from './dial.ts'
import { blocked, EgressError, type EgressFailureCode, findEgressError } from './egress-error.ts'
import { type FetchLimits, fetchThrough } from './fetch-through.ts'
import { guardDispatcher } from './guard-dispatcher.ts'
import { type GuardedSocket, guardedSocket } from './guarded-socket.ts'
import { judgeHeaders } from './judge-headers.ts'
import { judgeUrl } from './judge-url.ts'
import { type PolicyText, parsePolicy } from './parse-policy.ts'
import type { Refusal, RefusalRule } from './refusal.ts'
import { type ResolveHost, resolveBySystem } from './resolve-host.ts'
import { type EgressAnswer, type EgressRequest, sendGuarded } from './send-guarded.ts'
import { vetHost } from './vet-host.ts'

export type EgressConfig = PolicyText & {
  /** Bellhop's own origins: the public one, and on localhost the one it listens on. A function, since the port may be known only after listening. */
  ownOrigins: () => readonly string[]
  resolveHost?: ResolveHost
  connectTimeoutMs?: number
  /** An extra certificate authority (PEM), for servers with a company's own. */
  ca?: string
  /** Called for every refusal, so that it can be audited. */
  onRefusal?: (event: RefusalEvent) => void
}

/** For the audit log: unlike a `Refusal`, it may name the resolved address. */
export type RefusalEvent = { rule: RefusalRule; host: string; address: string | null; purpose: string }

type EgressFailure = {
  ok: false
  code: EgressFailureCode
  rule: RefusalRule | null
  message: string
  mayHaveArrived: boolean
}

/** Facts about a connection, for Save & Test. */
type Peer = { address: string; tls: { protocol: string; validTo: string } | null }

export type Egress = AsyncDisposable & {
  /** For use before a URL is saved. A name that cannot be resolved now is not refused: it is checked again at every connection. */
  check(url: string, purpose: string): Promise<Refusal | null>
  /** Does not throw if the target fails. */
  request(request: EgressRequest): Promise<EgressAnswer | EgressFailure>
  /** Like `request`, over a new connection, and returns where it led. */
  probe(request: EgressRequest): Promise<(EgressAnswer & { peer: Peer | null }) | EgressFailure>
  /** For SDKs. A failure is thrown; `findEgressError(error)` finds it under whatever the SDK wraps around it. */
  openFetch(limits: FetchLimits, purpose: string): typeof globalThis.fetch
  /** To a ws: or wss: address. Its events report success or failure. */
  openSocket(url: string, headers: Record<string, string>, purpose: string): GuardedSocket
}

/** The only way to addresses that come from data. Throws if the settings are invalid. */
export function openEgress(config: EgressConfig): Egress {
  const ctx = {
    policy: parsePolicy(config),
    ownOrigins: config.ownOrigins,
    resolveHost: shareLookups(config.resolveHost ?? resolveBySystem),
    dial: openDial(config.ca),
    connectTimeoutMs: config.connectTimeoutMs ?? 3000,
  }
  const shared = guardDispatcher(ctx)

  function report(error: EgressError, url: string, purpose: string): void {
    if (!error.rule) return
    const host = URL.canParse(url) ? new URL(url).host : ''
    config.onRefusal?.({ rule: error.rule, host, address: error.address ?? null, purpose })
  }

  async function send(dispatcher: Dispatcher, request: EgressRequest): Promise<EgressAnswer | EgressFailure> {
    try {
      const verdict = judgeUrl(ctx.policy, ctx.ownOrigins(), request.url)
      if (!verdict.ok) throw blocked(verdict.refusal)
      const headerFault = judgeHeaders(request.headers)
      if (headerFault) throw headerFault
      return await sendGuarded(dispatcher, verdict.url, request)
    } catch (error) {
      if (!(error instanceof EgressError)) throw error
      report(error, request.url, request.purpose)
      const { code, rule = null, message, mayHaveArrived } = error
      return { ok: false, code, rule, message, mayHaveArrived }
    }
  }

  return {
    async check(url, purpose) {
      try {
        const verdict = judgeUrl(ctx.policy, ctx.ownOrigins(), url)
        if (!verdict.ok) throw blocked(verdict.refusal)
        await vetHost(ctx, verdict, ctx.connectTimeoutMs)
        return null
      } catch (error) {
        if (!(error instanceof EgressError)) throw error
        report(error, url, purpose)
        return error.rule ? { rule: error.rule, message: error.message } : null
      }
    },

    request: (request) => send(shared.judgedBefore, request),

    async probe(request) {
      let peer: Peer | null = null
      const own = guardDispatcher(ctx, (socket) => {
        peer = peerOf(socket)
      })
      try {
        const answer = await send(own.judgedBefore, request)
        return answer.ok ? { ...answer, peer } : answer
      } finally {
        await own.close()
      }
    },

    openFetch(limits, purpose) {
      const fetch = fetchThrough(shared.dispatcher, limits)
      return async (input, init) => {
        try {
          return await fetch(input, init)
        } catch (error) {
          const fault = findEgressError(error)
          if (fault) report(fault, input instanceof Request ? input.url : String(input), purpose)
          throw error
        }
      }
    },

    openSocket: (url, headers, purpose) =>
      guardedSocket(ctx, { url, headers }, (fault) => report(fault, url, purpose)),

    [Symbol.asyncDispose]: shared.close,
  }
}

function peerOf(socket: Socket): Peer {
  const address = socket.remoteAddress ?? ''
  if (!(socket instanceof TLSSocket)) return { address, tls: null }
  return {
    address,
    tls: { protocol: socket.getProtocol() ?? '', validTo: socket.getPeerCertificate().valid_to ?? '' },
  }
}

/**
 * Simultaneous lookups of one name become one. The system looks up few names at a time, so calls to a name whose DNS server is
 * silent would keep the names of all others waiting.
 */
function shareLookups(resolveHost: ResolveHost): ResolveHost {
  const underWay = new Map<string, Promise<string[]>>()
  return (host) => {
    const begun = underWay.get(host)
    if (begun) return begun
    const lookup = resolveHost(host).finally(() => underWay.delete(host))
    underWay.set(host, lookup)
    return lookup
  }
}
