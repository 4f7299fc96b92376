import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { startLimit } from './limits.ts'
import { keepLoad, type Load, loadVerification, pushLoad } from './load.ts'
import { quantile } from './quantile.ts'
import { type BenchService, startBenchService } from './service.ts'

type Extent = {
  /** The first rounds are not counted: the JIT keeps optimising for some ten thousand requests. */
  warmUpRounds: number
  rounds: number
  /** Short, since the speed of a shared machine changes within seconds: the rounds that are compared must be close together. */
  roundMs: number
  steadySeconds: number
  /** An existing data folder; by default a new one. */
  dataDir?: string
}

const fullExtent: Extent = { warmUpRounds: 6, rounds: 15, roundMs: 1_000, steadySeconds: 5 }
const maxPerMs = 30

export type AcceptFigures = {
  barePerSecond: number
  /** A bare server with durable batches and no checks: what disk and database allow on this machine. */
  durablePerSecond: number
  acceptPerSecond: number
  /** Goal: 0.3 at least; under 0.25 is a defect. */
  throughputRatio: number
  bareP99Ms: number
  acceptP99Ms: number
  /** Goal: 4 at most. */
  p99Ratio: number
  /** At 200 deliveries a second; goals: 50 ms and 1,000 ms at most. */
  steadyP99Ms: number
  steadyMaxMs: number
}

/**
 * The endpoint with signature, duplicate check, rate limit and durable commit, beside a bare server that reads and parses but
 * stores nothing: the same requests, the same load, in interleaved rounds. The agent is paused, so that only acceptance is
 * measured.
 */
export async function benchAccept({
  warmUpRounds,
  rounds,
  roundMs,
  steadySeconds,
  dataDir,
}: Extent = fullExtent): Promise<AcceptFigures> {
  await using stack = new AsyncDisposableStack()
  const { path: durableDir } = stack.use(await temporaryFolder())
  const service = stack.use(await startBenchService({}, dataDir))
  const urls = {
    bare: await startLimit(stack, 'bare'),
    durable: await startLimit(stack, 'durable', durableDir),
    accept: await makeWebhook(service),
  }
  const loads = { bare: [] as Load[], durable: [] as Load[], accept: [] as Load[] }
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    for (const which of ['bare', 'durable', 'accept'] as const) {
      const load = await pushLoad(urls[which], roundMs, roundMs * maxPerMs)
      if (round >= warmUpRounds) loads[which].push(load)
    }
  }
  const steady = await keepLoad(urls.accept, 200, steadySeconds)
  const median = (values: readonly number[]) => quantile(values, 0.5)
  const of = (which: keyof typeof loads, what: keyof Load) => loads[which].map((load) => load[what])
  /** Round by round. */
  const ratio = (what: keyof Load) => {
    const bare = of('bare', what)
    return median(of('accept', what).map((value, round) => value / (bare[round] ?? Number.NaN)))
  }
  return {
    barePerSecond: median(of('bare', 'perSecond')),
    durablePerSecond: median(of('durable', 'perSecond')),
    acceptPerSecond: median(of('accept', 'perSecond')),
    throughputRatio: ratio('perSecond'),
    bareP99Ms: median(of('bare', 'p99Ms')),
    acceptP99Ms: median(of('accept', 'p99Ms')),
    p99Ratio: ratio('p99Ms'),
    steadyP99Ms: steady.p99Ms,
    steadyMaxMs: steady.maxMs,
  }
}

/** A webhook that accepts the load's signatures, in a service whose agent is paused. */
export async function makeWebhook(service: BenchService): Promise<string> {
  await service.call('PATCH', '/api/v1/settings', { agent: { paused: true } })
  const channel = await service.call<{ id: string }>('POST', '/api/v1/channels', { name: 'bench' })
  const webhook = await service.call<{ endpointUrl: string }>('POST', '/api/v1/webhooks', {
    name: 'bench',
    channelId: channel.id,
    prompt: 'x',
    rateLimit: { perSecond: 100_000, burst: 1_000_000 },
    verification: loadVerification,
  })
  return webhook.endpointUrl
}
