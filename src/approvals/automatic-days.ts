import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import type { ChannelId, PolicyId } from '../shared/ids.ts'

type AutomaticDay = { policyId: PolicyId; channelId: ChannelId; day: string }

/** The days that are over, in UTC, of automatic calls that nobody was told of yet. */
export async function claimReports(tx: Db): Promise<AutomaticDay[]> {
  const { rows } = await sql<AutomaticDay>`
    with due as (
      update approvals set reported_at = now()
      where id in (
        select id from approvals
        where reported_at is null and decided_by ->> 'kind' = 'policy'
          and decided_at < date_trunc('day', now(), 'UTC')
        order by decided_at limit 10000 for update skip locked)
      returning policy_id, channel_id, decided_at)
    select distinct policy_id, channel_id, to_char(decided_at at time zone 'UTC', 'YYYY-MM-DD') as day from due`.execute(
    tx,
  )
  return rows
}

type DayTotals = { calls: number; sum: string | null; tool: string; name: string }

/** What a policy let through on a day in a channel. */
export async function summarizeDay(
  db: Db,
  { policyId, channelId, day }: AutomaticDay,
): Promise<DayTotals | null> {
  const { rows } = await sql<DayTotals>`
    select count(*)::int as calls, trim_scale(sum(policy_amount))::text as sum, max(tool) as tool,
      max(decided_by ->> 'name') as name
    from approvals where policy_id = ${policyId} and channel_id = ${channelId} and decided_by ->> 'kind' = 'policy'
      and decided_at >= ${day}::timestamp at time zone 'UTC'
      and decided_at < (${day}::timestamp + interval '1 day') at time zone 'UTC'
    having count(*) > 0`.execute(db)
  return rows[0] ?? null
}
