import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isLoopback } from '../http-server/is-loopback.ts'
import { blocked, EgressError } from './egress-error.ts'
import { isSameAddress, judgeAddress } from './judge-address.ts'
import { portOf } from './judge-url.ts'
import type { Policy } from './parse-policy.ts'
import type { ResolveHost } from './resolve-host.ts'

type Context = { policy: Policy; ownOrigins: () => readonly string[]; resolveHost: ResolveHost }
type Target = { host: string; port: number; isExempt: boolean }

/**
 * The addresses that may be connected to for this host. One refused address refuses the whole name: a mix of public and private
 * ones means DNS rebinding, or a name that leads inside.
 */
export async function vetHost(ctx: Context, target: Target, timeoutMs: number): Promise<string[]> {
  // An IP literal is its own only address.
  const addresses = isIP(target.host) ? [target.host] : await resolveInTime(ctx, target.host, timeoutMs)
  for (const address of addresses) {
    if (isOwnAddress(ctx.ownOrigins(), address, target.port)) throw blocked('own-origin', address)
    if (!target.isExempt && judgeAddress(address, ctx.policy.exemptRanges) === 'refused') {
      throw blocked('non-public-address', address)
    }
  }
  return addresses
}

async function resolveInTime(ctx: Context, host: string, timeoutMs: number): Promise<string[]> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new EgressError('dns_failed', `The name ${host} could not be looked up in time.`)),
    timeoutMs,
  )
  try {
    const addresses = await Promise.race([ctx.resolveHost(host), tooLate])
    if (addresses.length === 0) throw new Error('no address')
    return addresses
  } catch (error) {
    if (error instanceof EgressError) throw error
    throw new EgressError(
      'dns_failed',
      `The name ${host} was not found. Check its spelling and its DNS record.`,
      {
        cause: error,
      },
    )
  } finally {
    clearTimeout(timer)
  }
}

/**
 * A name or an exception must not lead back to the port on which we listen, under any name. Other services of this machine may
 * share the port of our public URL: there a proxy listens, which tells us apart by name.
 */
function isOwnAddress(ownOrigins: readonly string[], address: string, port: number): boolean {
  const listening = ownOrigins.map((own) => new URL(own)).filter(isLoopback)
  if (!listening.some((own) => portOf(own) === port)) return false
  if (address.startsWith('127.') || isSameAddress(address, '::1')) return true
  if (address === '0.0.0.0' || isSameAddress(address, '::')) return true
  return Object.values(networkInterfaces())
    .flat()
    .some((local) => local !== undefined && isSameAddress(local.address, address))
}
