import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId } from '../../shared/ids.ts'

/** Runs in a row; one failed run may be its own fault. */
export const runsBeforeHold = 3

/** A model as runs and webhooks name it. */
export type ModelName = { provider: string; name: string }

export type Outage = ModelName & {
  since: Date
  problem: string
  /** Since when events wait for it; null if they do not. */
  heldAt: Date | null
  /** By this process's steady clock. */
  fallbackEndsAt: number
}

export type EndedOutage = { heldAt: Date | null; heldMs: number; channelId: ChannelId | null }

export async function listOutages(db: Db): Promise<Outage[]> {
  const { rows } = await sql<Omit<Outage, 'fallbackEndsAt'> & { leftMs: number }>`
    select provider, name, since, problem, held_at,
      1000 * extract(epoch from coalesce(fallback_until, now()) - now())::float8 as left_ms
    from model_outages order by since`.execute(db)
  const now = performance.now()
  return rows.map(({ leftMs, ...outage }) => ({ ...outage, fallbackEndsAt: now + leftMs }))
}

/** The model is asked again after 5 minutes. */
export async function writeFallback(db: Db, { provider, name }: ModelName, problem: string): Promise<Date> {
  const { rows } = await sql<{ since: Date }>`
    insert into model_outages (provider, name, problem, fallback_until)
    values (${provider}, ${name}, ${problem}, now() + interval '5 minutes')
    on conflict (provider, name) do update set problem = excluded.problem, fallback_until = excluded.fallback_until
    returning since`.execute(db)
  return rows[0]?.since ?? new Date()
}

export async function countFailedRun(
  db: Db,
  { provider, name }: ModelName,
  problem: string,
  channelId: ChannelId | null,
): Promise<{ failedRuns: number; held: boolean }> {
  const { rows } = await sql<{ failedRuns: number; held: boolean }>`
    insert into model_outages as o (provider, name, problem, failed_runs, channel_id)
    values (${provider}, ${name}, ${problem}, 1, ${channelId})
    on conflict (provider, name) do update
    set problem = excluded.problem, failed_runs = o.failed_runs + 1, channel_id = coalesce(o.channel_id, excluded.channel_id),
        held_at = coalesce(o.held_at, case when o.failed_runs + 1 >= ${runsBeforeHold} then now() end),
        probe_at = coalesce(o.probe_at, ${nextProbe})
    returning failed_runs, held_at is not null as held`.execute(db)
  return rows[0] ?? { failedRuns: 0, held: false }
}

const nextProbe = sql`now() + interval '30 seconds'`

export async function claimProbes(db: Db): Promise<ModelName[]> {
  const { rows } = await sql<ModelName>`
    update model_outages set probe_at = ${nextProbe} where held_at is not null and probe_at <= now()
    returning provider, name`.execute(db)
  return rows
}

/** Calls that were under way when the fallback took over do not end the outage. */
export async function deleteOutage(
  db: Db,
  { provider, name }: ModelName,
  inAnyCase: boolean,
): Promise<EndedOutage | null> {
  const { rows } = await sql<EndedOutage>`
    delete from model_outages
    where provider = ${provider} and name = ${name}
      and (${inAnyCase}::boolean or fallback_until is null or fallback_until < now())
    returning held_at, coalesce(1000 * extract(epoch from now() - held_at), 0)::float8 as held_ms, channel_id`.execute(
    db,
  )
  return rows[0] ?? null
}
