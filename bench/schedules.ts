import { setTimeout as pause } from 'node:timers/promises'
import { startBenchDatabase } from './database.ts'

const schedules = 10_000

export type ScheduleFigures = {
  /** From the due second until the last of 10,000 due times is an event. Goal: 1,000. */
  lastEventMs: number
  medianEventMs: number
}

/** 10,000 schedules in six time zones and ten kinds of cron text are due in the same second; one process starts all of them. */
export async function benchSchedules(): Promise<ScheduleFigures> {
  await using stack = new AsyncDisposableStack()
  const { service, client } = await (await startBenchDatabase(stack)).open('schedules')
  const channel = await service.call<{ id: string }>('POST', '/api/v1/channels', { name: 'schedules' })
  await client.query(
    `insert into schedules (id, name, channel_id, prompt, state, cron, time_zone, if_missed, grace_minutes, overlap, thread, ceiling,
                            allow_silence, next_at)
     select 'sched_00000000-0000-7000-8000-' || lpad(n::text, 12, '0'), 'Number ' || n, $1, 'Say hello.', 'active',
            (n % 10) || ' 9 * * 1-5',
            (array['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'UTC', 'Australia/Sydney', 'America/Sao_Paulo'])[n % 6 + 1],
            'skip', 60, 'skip', 'new', 'read', true, date_trunc('second', clock_timestamp()) + interval '4 seconds'
     from generate_series(1, $2::int) n`,
    [channel.id, schedules],
  )
  await client.query(`select pg_notify('schedules_changed', '')`)
  for (;;) {
    const { rows } = await client.query<{ n: number; last: number; median: number }>(`
      select count(*)::int as n, 1000 * max(late)::float8 as last,
        1000 * percentile_cont(0.5) within group (order by late)::float8 as median
      from (select extract(epoch from received_at - scheduled_at) as late from events where scheduled_at is not null) e`)
    const [row] = rows
    if (row?.n === schedules) return { lastEventMs: row.last, medianEventMs: row.median }
    await pause(200)
  }
}
