import { sql } from 'kysely'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { dispatchEvents } from '../src/events/inbox/dispatch-events.ts'
import { judgeWaiting } from '../src/events/rules/judge-waiting.ts'
import type { Db } from '../src/platform/db/database.ts'
import { createLog } from '../src/platform/log.ts'
import { startBenchDatabase } from './database.ts'
import { quantile } from './quantile.ts'
import { countSucceeded, sendEvents, settled } from './runs.ts'
import { benchKey, startBenchService } from './service.ts'

const warmUpRounds = 3
const rounds = 9
const events = 1_000
const wholeRounds = 10
const wholeEvents = 400

const tenRules = Array.from({ length: 10 }, (_, n) => ({
  when: `event.action == 'action${n}' || event.repository.full_name == 'somebody/project${n}'`,
  then: 'skip',
}))

/** 3 kB, as a code host sends them. */
const body = JSON.stringify({
  action: 'opened',
  number: 7,
  repository: { full_name: 'octo/hello', topics: ['one', 'two'] },
  labels: Array.from({ length: 50 }, (_, n) => ({ id: n, name: `label ${n}`, color: 'aabbcc' })),
})

export type RuleFigures = {
  /** For each event, from the inbox to its job. */
  withoutRulesMs: number
  tenRulesMs: number
  /** What the event waits longer, where one round follows the other. */
  ratio: number
  /** Of these, the judging. It is done beside the dispatch, most of it in a thread. */
  judgeMs: number
  /** Processor time of an event with its run, of all processes and threads, PostgreSQL included. Goal: 10 % more. */
  wholeWithoutRulesCpuMs: number
  wholeTenRulesCpuMs: number
  cpuRatio: number
}

/** In its own process, with the offline agent, whose runs are short. Processor time does not depend on what else the machine does. */
async function benchWhole(): Promise<
  Pick<RuleFigures, 'wholeWithoutRulesCpuMs' | 'wholeTenRulesCpuMs' | 'cpuRatio'>
> {
  await using service = await startBenchService()
  const { id: channelId } = await service.call<{ id: string }>('POST', '/api/v1/channels', { name: 'whole' })
  const make = async (rules: object[] | null) => {
    const webhook = { name: 'Whole', channelId, prompt: 'Say what came.', rateLimit: null, concurrency: 8 }
    const made = { ...webhook, ...(rules ? { rules } : {}) }
    return (await service.call<{ endpointUrl: string }>('POST', '/api/v1/webhooks', made)).endpointUrl
  }
  const [plain, ruled] = [await make(null), await make(tenRules)]
  const measure = async (url: string) => {
    const [before, ended] = [await service.cpuSeconds(), await countSucceeded(service)]
    await sendEvents([url], wholeEvents, body)
    await settled(service, ended + wholeEvents)
    const after = await service.cpuSeconds()
    return ((after.node + after.postgres - before.node - before.postgres) * 1000) / wholeEvents
  }
  const usedMs = { plain: 0, ruled: 0 }
  for (let round = 0; round < 1 + wholeRounds; round++) {
    // Each goes first in turn: the tables grow.
    const used = { plain: 0, ruled: 0 }
    if (round % 2 === 0) used.plain = await measure(plain)
    used.ruled = await measure(ruled)
    if (round % 2 === 1) used.plain = await measure(plain)
    if (round === 0) continue
    usedMs.plain += used.plain / wholeRounds
    usedMs.ruled += used.ruled / wholeRounds
  }
  return {
    wholeWithoutRulesCpuMs: usedMs.plain,
    wholeTenRulesCpuMs: usedMs.ruled,
    cpuRatio: usedMs.ruled / usedMs.plain,
  }
}

/** What a storm left in the inbox is judged and dispatched, in interleaved rounds with and without rules. */
export async function benchRules(): Promise<RuleFigures> {
  await using stack = new AsyncDisposableStack()
  const { create } = await startBenchDatabase(stack)
  const log = await createLog({ level: 'error', pretty: false })
  const env = { PORT: '0', ROLE: 'web', API_KEY: benchKey, LOG_LEVEL: 'error', ...(await create('rules')) }
  const { url, ctx } = stack.use(await startApp(readConfig(env), { log }))
  const make = async (path: string, fields: object) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    })
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`)
    // Our own API, which answers with the id of what it made.
    return ((await answer.json()) as { id: string }).id
  }
  const channelId = await make('/channels', { name: 'rules' })
  const webhook = { name: 'Rules', channelId, prompt: 'Say what came.', rateLimit: null, active: true }
  const plain = await make('/webhooks', webhook)
  const ruled = await make('/webhooks', { ...webhook, rules: tenRules })
  await sql`update webhooks set concurrency = 1000000`.execute(ctx.db)
  const settings = { read: async () => ({ limits: { activeRuns: 1_000_000 } }) }
  const dispatch = async () => {
    const startedAt = performance.now()
    for (let started = 0; started < events; ) started += await dispatchEvents({ ...ctx, settings })
    return (performance.now() - startedAt) / events
  }
  const onError = (error: Error) => {
    throw error
  }
  const judge = async () => {
    const startedAt = performance.now()
    for (let judged = 0; judged < events; ) judged += await judgeWaiting({ ...ctx, onError })
    return (performance.now() - startedAt) / events
  }
  const times: { without: number; judge: number; dispatch: number }[] = []
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    await fill(ctx.db, plain)
    const without = await dispatch()
    await fill(ctx.db, ruled)
    const time = { without, judge: await judge(), dispatch: await dispatch() }
    if (round >= warmUpRounds) times.push(time)
  }
  const median = (of: (time: (typeof times)[number]) => number) => quantile(times.map(of), 0.5)
  return {
    withoutRulesMs: median((time) => time.without),
    tenRulesMs: median((time) => time.judge + time.dispatch),
    ratio: median((time) => (time.judge + time.dispatch) / time.without),
    judgeMs: median((time) => time.judge),
    ...(await benchWhole()),
  }
}

async function fill(db: Db, webhookId: string): Promise<void> {
  await sql`truncate events, jobs.job cascade`.execute(db)
  await sql`
    insert into events (id, source_id, run_id, status, received_at, sender_address, headers, verification, size_bytes, body)
    select 'evt_' || id, ${webhookId}, 'run_' || id, 'accepted', now(), '127.0.0.1', '{"x-github-event":"issues"}', 'off',
      ${body.length}, convert_to(${body}, 'UTF8')
    from (select '00000000-0000-7000-8000-' || lpad(n::text, 12, '0') as id from generate_series(1, ${events}::int) n) n`.execute(
    db,
  )
  await sql`analyze events`.execute(db)
}
