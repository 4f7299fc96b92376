import { setTimeout as pause } from 'node:timers/promises'
import { startBenchDatabase } from './database.ts'
import { quantile } from './quantile.ts'
import type { BenchService } from './service.ts'

const waiting = 100_000
const events = 60
const everyMs = 250

export type StormFigures = {
  /** From the receipt of another webhook's event to the start of its run, while 100,000 events of one webhook wait. Goal: 1,000. */
  startP50Ms: number
  startMaxMs: number
  /** The same without a storm. */
  quietP50Ms: number
  quietMaxMs: number
  /** How fast the storm itself is worked off meanwhile, as proof that there is one. */
  stormRunsPerSecond: number
}

export async function benchStorm(): Promise<StormFigures> {
  await using stack = new AsyncDisposableStack()
  const { service, client } = await (await startBenchDatabase(stack)).open('storm')
  const channel = await service.call<{ id: string }>('POST', '/api/v1/channels', { name: 'storm' })
  const make = (name: string) =>
    service.call<{ id: string; endpointUrl: string }>('POST', '/api/v1/webhooks', {
      name,
      channelId: channel.id,
      prompt: 'Say what came.',
      rateLimit: null,
    })
  const [noisy, calm] = [await make('noisy'), await make('calm')]
  await timeDeliveries(service, calm.endpointUrl)
  const before = await timeDeliveries(service, calm.endpointUrl)
  await client.query(
    `insert into events (id, source_id, run_id, status, received_at, sender_address, headers, verification, size_bytes, body)
     select 'evt_' || id, $1, 'run_' || id, 'accepted', now(), '192.0.2.1', '{}', 'off', 13, '{"storm":true}'
     from (select '00000000-0000-7000-8000-' || lpad(n::text, 12, '0') as id from generate_series(1, $2::int) n) n`,
    [noisy.id, waiting],
  )
  await client.query(`select pg_notify('events_waiting', '')`)
  const countDone = async () => {
    const { rows } = await client.query<{ done: number }>(
      `select count(*)::int as done from events where source_id = $1 and status = 'done'`,
      [noisy.id],
    )
    return rows[0]?.done ?? 0
  }
  while ((await countDone()) === 0) await pause(50)
  const [doneBefore, startedAt] = [await countDone(), performance.now()]
  const during = await timeDeliveries(service, calm.endpointUrl)
  const seconds = (performance.now() - startedAt) / 1000
  const { rows } = await client.query(`select from events where status = 'accepted' limit 1`)
  if (rows.length === 0) throw new Error('The storm was over before the measurement was.')
  return {
    startP50Ms: quantile(during, 0.5),
    startMaxMs: Math.max(...during),
    quietP50Ms: quantile(before, 0.5),
    quietMaxMs: Math.max(...before),
    stormRunsPerSecond: ((await countDone()) - doneBefore) / seconds,
  }
}

/** One event after another; each run's own times show how long its event waited. */
async function timeDeliveries(service: BenchService, url: string): Promise<number[]> {
  const receipts: { eventId: string; runId: string }[] = []
  for (let n = 0; n < events; n++) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"n":${n}}`,
    })
    if (answer.status !== 200) throw new Error(`The ingress answered ${answer.status}.`)
    // The contract of the ingress.
    receipts.push((await answer.json()) as (typeof receipts)[number])
    await pause(everyMs)
  }
  const waits: number[] = []
  for (const { eventId, runId } of receipts) {
    const { receivedAt } = await service.call<{ receivedAt: string }>('GET', `/api/v1/events/${eventId}`)
    let run = await service.call<{ startedAt: string | null }>('GET', `/api/v1/runs/${runId}`)
    while (run.startedAt === null) {
      await pause(50)
      run = await service.call('GET', `/api/v1/runs/${runId}`)
    }
    waits.push(Date.parse(run.startedAt) - Date.parse(receivedAt))
  }
  return waits
}
