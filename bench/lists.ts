import { makeWebhook } from './accept.ts'
import { startBenchDatabase } from './database.ts'
import { fill, leaveStorm, type Size, waitInStorm } from './fill.ts'
import { pushLoad } from './load.ts'
import { quantile } from './quantile.ts'
import type { BenchService } from './service.ts'

type Extent = {
  rounds: number
  small: Size
  large: Size
  waiting: number
  deliveries: number
  /** An existing data folder; by default a new one. */
  dataDir?: string
}

const usual: Extent = {
  rounds: 15,
  small: { webhooks: 10, events: 1_000 },
  large: { webhooks: 10_000, events: 1_000_000 },
  waiting: 300_000,
  deliveries: 40_000,
}

/** Every list of the API with the filters that its page offers; ids as bench/fill.ts makes them. */
const webhookId = 'hook_00000000-0000-7000-8000-000000000001'
const channelId = 'chan_00000000-0000-7000-8000-000000000011'
const lists = [
  '/events',
  ...['accepted', 'dispatched', 'done', 'failed', 'dead', 'ignored'].map(
    (status) => `/events?status=${status}`,
  ),
  `/events?webhookId=${webhookId}`,
  `/events?channelId=${channelId}`,
  `/events?webhookId=${webhookId}&status=failed`,
  `/events?webhookId=${webhookId}&status=done`,
  '/events?runId=run_00000000-0000-7000-8000-000000000001',
  `/events?from=${encodeURIComponent(new Date(Date.now() - 86_400_000).toISOString())}`,
  '/runs',
  ...['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'].map(
    (status) => `/runs?status=${status}`,
  ),
  `/runs?webhookId=${webhookId}`,
  `/runs?webhookId=${webhookId}&status=failed`,
  `/runs?channelId=${channelId}`,
  `/runs?channelId=${channelId}&status=failed`,
  '/webhooks',
  '/webhooks?status=inactive',
  `/webhooks?channelId=${channelId}`,
  `/webhooks/${webhookId}/refusals`,
  '/approvals',
  '/approvals?status=pending',
  '/approvals?runId=run_00000000-0000-7000-8000-000000000001',
  '/channels',
  `/channels/${channelId}/messages`,
  '/messages?q=order',
  '/connectors',
  '/workspaces',
  '/users',
  '/api-keys',
  '/audit',
  '/audit?action=webhook.changed',
  `/audit?subject=${webhookId}`,
]

export type ListFigures = {
  /** First pages with 10,000 webhooks and 1,000,000 events and runs. Goal: 50. */
  slowestMs: number
  /** Compared with 10 webhooks and 1,000 events. Goal: 1.3. */
  worstRatio: number
  /** While 300,000 events wait, and right after they were all settled at once. */
  slowestInStormMs: number
  slowestAfterStormMs: number
  /** One step of a search through bodies that finds nothing. Goal: 1,000. */
  searchStepMs: number
  statsMs: number
  /** The accept rate divided by that of the small database. Goal: 0.77 at least, which is within 1.3 times. */
  acceptRatio: number
}

export async function benchLists(extent = usual): Promise<ListFigures> {
  const { rounds } = extent
  await using stack = new AsyncDisposableStack()
  // A million rows are written before anything is measured. Both accept rates are measured without fsync, so they are comparable.
  const settings = { fsync: 'off', max_wal_size: '4GB' }
  const { open } = await startBenchDatabase(stack, settings, extent.dataDir)
  const openFilled = async (name: string, size: Size) => {
    const opened = await open(name)
    await fill(opened.client, size)
    return opened
  }
  const small = await openFilled('small', extent.small)
  const large = await openFilled('large', extent.large)
  const quiet = await measure(rounds, large.service, lists, small.service)
  const [searchStepMs = Number.NaN] = (await measure(rounds, large.service, ['/events?text=nowhere'])).ms
  const [statsMs = Number.NaN] = (await measure(rounds, large.service, ['/stats'])).ms
  const touched = lists.filter((list) => /^\/(events|runs)/.test(list))
  await waitInStorm(large.client, extent.waiting)
  console.log(`While ${extent.waiting} events wait:`)
  const inStorm = await measure(rounds, large.service, touched)
  await leaveStorm(large.client)
  console.log('Right after they left:')
  const afterStorm = await measure(rounds, large.service, touched)
  const acceptRatio = await compareAccept(extent, small.service, large.service)
  return {
    slowestMs: Math.max(...quiet.ms),
    worstRatio: Math.max(...quiet.ratios),
    slowestInStormMs: Math.max(...inStorm.ms),
    slowestAfterStormMs: Math.max(...afterStorm.ms),
    searchStepMs,
    statsMs,
    acceptRatio,
  }
}

async function compareAccept(
  { rounds, deliveries }: Extent,
  small: BenchService,
  large: BenchService,
): Promise<number> {
  const urls = { small: await makeWebhook(small), large: await makeWebhook(large) }
  const rates = { small: [] as number[], large: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    for (const which of ['small', 'large'] as const) {
      const { perSecond } = await pushLoad(urls[which], 2_000, deliveries)
      // The first rounds warm up.
      if (round > 2 || rounds < 3) rates[which].push(perSecond)
    }
  }
  return quantile(rates.large, 0.5) / quantile(rates.small, 0.5)
}

/** The median of each path, alternating with the other service if there is one. */
async function measure(
  rounds: number,
  service: BenchService,
  paths: readonly string[],
  beside?: BenchService,
): Promise<{ ms: number[]; ratios: number[] }> {
  const figures = { ms: [] as number[], ratios: [] as number[] }
  for (const path of paths) {
    const [many, few]: [number[], number[]] = [[], []]
    const first = await timeOf(service, path)
    if (beside) await timeOf(beside, path)
    for (let round = 0; round < rounds; round++) {
      many.push(await timeOf(service, path))
      if (beside) few.push(await timeOf(beside, path))
    }
    const ratio = quantile(many, 0.5) / quantile(few, 0.5)
    figures.ms.push(quantile(many, 0.5))
    figures.ratios.push(ratio)
    const compared = beside ? `, ${ratio.toFixed(2)} times that of a small database` : ''
    console.log(
      `${quantile(many, 0.5).toFixed(1)} ms${compared}, the first time ${first.toFixed(1)} ms: ${path}`,
    )
  }
  return figures
}

/** Ten rows, which even the small database has of everything, so that both do the same work. */
async function timeOf(service: BenchService, path: string): Promise<number> {
  const limited = path === '/stats' ? path : `${path}${path.includes('?') ? '&' : '?'}limit=10`
  const startedAt = performance.now()
  await service.call('GET', `/api/v1${limited}`)
  return performance.now() - startedAt
}
