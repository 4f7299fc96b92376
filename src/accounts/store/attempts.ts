import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'

/** `burst` attempts at once, then one every `everySeconds`. */
export type Limit = { burst: number; everySeconds: number }

/**
 * Takes one attempt, or returns the seconds until one is available. One statement decides by the database's clock, so
 * the limit holds across replicas and for simultaneous attempts (GCRA).
 */
export async function takeAttempt(db: Db, key: string, { burst, everySeconds }: Limit): Promise<number> {
  const step = sql`make_interval(secs => ${everySeconds})`
  const next = sql`greatest(sign_in_attempts.refilled_at, clock_timestamp()) + ${step}`
  const { rows } = await sql`
    insert into sign_in_attempts (key, refilled_at) values (${key}, clock_timestamp() + ${step})
    on conflict (key) do update set refilled_at = ${next}
      where ${next} <= clock_timestamp() + ${burst} * ${step}
    returning key`.execute(db)
  if (rows.length > 0) return 0
  const { rows: waits } = await sql<{ seconds: number }>`
    select extract(epoch from ${next} - ${burst} * ${step} - clock_timestamp())::float8 as seconds
    from sign_in_attempts where key = ${key}`.execute(db)
  return Math.max(1, Math.ceil(waits[0]?.seconds ?? 1))
}

export async function returnAttempt(db: Db, key: string, { everySeconds }: Limit): Promise<void> {
  await sql`
    update sign_in_attempts set refilled_at = refilled_at - make_interval(secs => ${everySeconds})
    where key = ${key}`.execute(db)
}

export async function forgetAttempts(db: Db, key: string): Promise<void> {
  await sql`delete from sign_in_attempts where key = ${key}`.execute(db)
}

export async function removeSettledAttempts(db: Db): Promise<void> {
  await sql`delete from sign_in_attempts where refilled_at < now()`.execute(db)
}
