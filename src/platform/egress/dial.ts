import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import { blocked, EgressError } from './egress-error.ts'
import { isSameAddress } from './judge-address.ts'

type DialTarget = { protocol: string; host: string; port: number }
export type Dial = (
  target: DialTarget,
  addresses: readonly string[],
  deadline: number,
) => Promise<Socket | TLSSocket>

/** No attempt but the last may use up the time that a healthy address later in the list needs. */
const maxAttemptMs = 1000

/** Connects to one of the vetted addresses, tried in turn. The certificate must be for the host, not the address. */
export function openDial(ca?: string): Dial {
  const connect = buildConnector({ timeout: 0, allowH2: false, ca })

  return async (target, addresses, deadline) => {
    let last: unknown
    for (const [index, address] of addresses.entries()) {
      const left = deadline - performance.now()
      const isLast = index === addresses.length - 1
      const timeoutMs = isLast ? left : Math.min(left / (addresses.length - index), maxAttemptMs)
      try {
        return await dialOne(connect, target, address, timeoutMs)
      } catch (error) {
        if (error instanceof EgressError && error.code !== 'connection_failed' && error.code !== 'timeout')
          throw error
        last = error
      }
    }
    throw last
  }
}

function dialOne(
  connect: buildConnector.connector,
  target: DialTarget,
  address: string,
  timeoutMs: number,
): Promise<Socket | TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket | TLSSocket>()
  const isTls = target.protocol === 'https:'
  let tcpIsUp = false
  const fail = (error: EgressError) => {
    clearTimeout(timer)
    socket?.destroy()
    reject(error)
  }
  const timer = setTimeout(
    () => fail(new EgressError('timeout', `No connection to ${target.host} could be made in time.`)),
    Math.max(1, timeoutMs),
  )
  // The declared type returns nothing; the documented behaviour is to return the opened socket.
  const socket = connect(
    {
      hostname: address,
      host: target.host,
      protocol: target.protocol,
      port: String(target.port),
      // Left out for IP literals, which have no SNI: their certificate is compared with the address.
      ...(isTls && target.host !== address ? { servername: target.host } : {}),
    },
    (error, opened) => {
      if (error || !opened) return fail(connectFailure(target, error, isTls && tcpIsUp))
      if (!opened.remoteAddress || !isSameAddress(opened.remoteAddress, address)) {
        return fail(blocked('changed-address', opened.remoteAddress ?? 'unknown'))
      }
      clearTimeout(timer)
      resolve(opened)
    },
  ) as unknown as Socket | undefined
  socket?.once('connect', () => {
    tcpIsUp = true
  })
  return promise
}

const unknownAuthority =
  'its certificate is not signed by a known authority (one of your own is named in NODE_EXTRA_CA_CERTS)'

/** Faults of certificates in words. Any other is reported by its code. */
const certificateFaults: Record<string, string> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}

function connectFailure(target: DialTarget, error: Error | null, inHandshake: boolean): EgressError {
  const code = error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  if (inHandshake) {
    const why = certificateFaults[code] ?? `the handshake failed (${code})`
    return new EgressError('tls_failed', `No secure connection to ${target.host}: ${why}.`, { cause: error })
  }
  const why = code === 'ECONNREFUSED' ? 'it refused the connection' : `the connection failed (${code})`
  return new EgressError('connection_failed', `${target.host}:${target.port} cannot be reached: ${why}.`, {
    cause: error,
  })
}
