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
  await correctSupervision(pool)
}

/**
 * Nor would anybody look for dead workers until then, and theirs would seem alive. A live worker sends its next heartbeat in time. Jobs
 * are read only where the last look is in the future, since no index finds those that are active.
 */
async function correctSupervision(pool: pg.Pool): Promise<void> {
  await pool.query(
    `with ahead as (
       update jobs.queue set monitor_claim_on = least(monitor_claim_on, now()), maintain_on = least(maintain_on, now())
       where greatest(monitor_claim_on, maintain_on) > now() + interval '1 second' returning name)
     update jobs.job set heartbeat_on = now()
     where name in (select name from ahead) and state = 'active' and heartbeat_on > now() + interval '1 second'`,
  )
}
