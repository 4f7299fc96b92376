import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { quantile } from './quantile.ts'
import { answerAsModel, countSucceeded, deliver, prepare, serve } from './runs.ts'
import { type BenchService, startBenchService } from './service.ts'

type Options = {
  minutes: number
  /** Events a second. */
  rate: number
  /** How long the idle service is watched, before and after the load. */
  idleSeconds: number
  /** Rows of finished jobs to put into the queue's table before the idle service is watched once more; 0 for none. */
  finishedJobs: number
  /** An existing data folder; by default a new one. */
  dataDir?: string
}

type Sample = { second: number; memoryMb: number; nodeCores: number; postgresCores: number; waiting: number }
type Table = { table: string; mb: number; rows: number; deadRows: number }

/**
 * A steady load for a long time, in the process that `npm start` runs, with an instant model and one read call for each event. Then
 * what it left behind: memory, tables, and the processor time of the service once it has nothing to do.
 */
export async function soak({ minutes, rate, idleSeconds, finishedJobs, dataDir }: Options) {
  await using stack = new AsyncDisposableStack()
  const model = await serve(stack, answerAsModel)
  const target = await serve(stack, (_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"id":"A-1","state":"paid"}')
  })
  const service = stack.use(
    await startBenchService(
      {
        MODEL_PROVIDER: 'openai-compatible',
        MODEL_NAME: 'instant',
        MODEL_BASE_URL: `http://127.0.0.1:${model}/v1`,
        EGRESS_PRIVATE_EXCEPTIONS: `127.0.0.1:${target}`,
      },
      dataDir,
    ),
  )
  const urls = await prepare(service, target)
  const client = new pg.Client({
    host: join(service.dataDir, 'socket'),
    port: 5432,
    user: 'bellhop',
    database: 'bellhop',
  })
  await client.connect()
  stack.defer(() => client.end())

  const idleBefore = await watchIdle(service, idleSeconds)
  const load = await push(service, client, urls, minutes * 60, rate)
  const settledAfterSeconds = await settle(service, load.accepted)
  const { rows: counted } = await client.query<{ events: number; runs: number; replies: number }>(`
    select (select count(*)::int from events) as events,
      (select count(*)::int from runs where status = 'succeeded') as runs,
      (select count(*)::int from messages where run_id is not null) as replies`)
  const idleAfter = await watchIdle(service, idleSeconds)
  const tables = await measureTables(client)
  const withFinishedJobs =
    finishedJobs > 0 ? await watchWith(service, client, finishedJobs, idleSeconds) : null
  return {
    asked: { minutes, rate, idleSeconds, finishedJobs },
    cores: availableParallelism(),
    node: process.version,
    load,
    settledAfterSeconds,
    ...counted[0],
    lost: load.accepted - (counted[0]?.runs ?? 0),
    idle: { before: idleBefore, after: idleAfter, withFinishedJobs },
    memoryAfterMb: await service.memoryMb(),
    tables,
  }
}

/** An open loop: events are sent on schedule, answered or not. */
async function push(
  service: BenchService,
  client: pg.Client,
  urls: readonly string[],
  seconds: number,
  rate: number,
) {
  const times: number[] = []
  let refused = 0
  const samples: Sample[] = []
  const underWay = new Set<Promise<void>>()
  const startedAt = performance.now()
  const elapsed = () => (performance.now() - startedAt) / 1000
  const sampleEvery = Math.max(1, seconds / 20)
  let cpu = { ...(await service.cpuSeconds()), at: elapsed() }
  for (let sent = 0, nextSample = sampleEvery; sent < seconds * rate; await pause(10)) {
    for (; sent < Math.min(elapsed(), seconds) * rate; sent++) {
      const sentAt = performance.now()
      const delivery = deliver(urls[sent % urls.length] ?? '')
        .then(
          () => void times.push(performance.now() - sentAt),
          () => void refused++,
        )
        .finally(() => underWay.delete(delivery))
      underWay.add(delivery)
    }
    if (elapsed() < nextSample) continue
    nextSample += sampleEvery
    const now = { ...(await service.cpuSeconds()), at: elapsed() }
    const { rows } = await client.query<{ waiting: number }>(
      `select count(*)::int as waiting from events where status = 'accepted'`,
    )
    samples.push({
      second: Math.round(now.at),
      memoryMb: await service.memoryMb(),
      nodeCores: (now.node - cpu.node) / (now.at - cpu.at),
      postgresCores: (now.postgres - cpu.postgres) / (now.at - cpu.at),
      waiting: rows[0]?.waiting ?? 0,
    })
    cpu = now
  }
  await Promise.all(underWay)
  return {
    accepted: times.length,
    refused,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    maxMs: quantile(times, 1),
    samples,
  }
}

const longestSettleMs = 10 * 60_000

/** Until as many runs have succeeded as events were accepted. What never does is counted as lost. */
async function settle(service: BenchService, runs: number): Promise<number> {
  const startedAt = performance.now()
  while ((await countSucceeded(service)) < runs && performance.now() - startedAt < longestSettleMs)
    await pause(100)
  return (performance.now() - startedAt) / 1000
}

/** Processor time of a service that has nothing to do, in percent of a core. */
async function watchIdle(service: BenchService, seconds: number) {
  const before = await service.cpuSeconds()
  await pause(seconds * 1000)
  const after = await service.cpuSeconds()
  const percent = (used: number) => (used / seconds) * 100
  return { node: percent(after.node - before.node), postgres: percent(after.postgres - before.postgres) }
}

/** Bellhop deletes a job when it is done, so such rows exist only if somebody puts them there. */
async function watchWith(service: BenchService, client: pg.Client, jobs: number, seconds: number) {
  await client.query(
    `insert into jobs.job (name, state, data, started_on, completed_on)
     select 'run.start', 'completed', '{}', now(), now() from generate_series(1, $1)`,
    [jobs],
  )
  await client.query('vacuum analyze jobs.job')
  const idle = await watchIdle(service, seconds)
  const { rows } = await client.query<{ kept: number }>('select count(*)::int as kept from jobs.job')
  return { ...idle, rows: rows[0]?.kept ?? 0 }
}

async function measureTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.oid::regclass::text as table, round(pg_total_relation_size(c.oid) / 1048576.0, 1)::float8 as mb,
      s.n_live_tup::int as rows, s.n_dead_tup::int as "deadRows"
    from pg_class c join pg_stat_all_tables s on s.relid = c.oid
    where c.relkind = 'r' and s.schemaname in ('public', 'jobs') order by pg_total_relation_size(c.oid) desc limit 12`)
  return rows
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '20' },
      rate: { type: 'string', default: '30' },
      idle: { type: 'string', default: '60' },
      'finished-jobs': { type: 'string', default: '300000' },
    },
  })
  const result = await soak({
    minutes: Number(values.minutes),
    rate: Number(values.rate),
    idleSeconds: Number(values.idle),
    finishedJobs: Number(values['finished-jobs']),
  })
  const { load, idle, tables, ...rest } = result
  const { samples, ...answers } = load
  console.table(samples.map(rounded))
  console.table(rounded({ ...answers, ...rest, asked: undefined }))
  console.table(Object.fromEntries(Object.entries(idle).map(([when, used]) => [when, rounded(used ?? {})])))
  console.table(tables)
  await writeFile(join(import.meta.dirname, 'soak.json'), `${JSON.stringify(result, null, 2)}\n`)
  if (rest.lost !== 0 || load.refused > 0) process.exitCode = 1
}

function rounded(figures: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(figures)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'number' ? Math.round(value * 100) / 100 : value]),
  )
}
