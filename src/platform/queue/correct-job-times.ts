import type pg from 'pg'

/**
 * After the clock was set back, jobs sent before are in the future, and no worker would take them until then. They keep the delay
 * they asked for, counted from now; a retry never waits for more than a minute.
 */
export async function correctJobTimes(pool: pg.Pool, names: readonly string[]): Promise<void> {
  await pool.query(
    `update jobs.job
     set start_after = case when state = 'retry' then now() else now() + (start_after - created_on) end,
         created_on = least(created_on, now())
     where name = any ($1) and state < 'active' and start_after > now() + interval '61 seconds'
       and (created_on > now() + interval '1 second' or state = 'retry')`,
    [names],
  )
}
