import { sql } from 'kysely'
import type { Trigger } from '../../../events/inbox/find-trigger.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { RunId } from '../../../shared/ids.ts'

type Source = Trigger['source']

export function hasBudget({ runsPerHour, costPerDay }: Source): boolean {
  return runsPerHour !== null || costPerDay !== null
}

/** Which of its budgets its other runs have spent, in words; null if none, or if this run has begun: it goes on. */
export async function findSpentBudget(
  db: Db,
  { id, runsPerHour, costPerDay }: Source,
  runId: RunId,
): Promise<string | null> {
  const { rows } = await sql<{ hasBegun: boolean; runs: number; cost: number }>`
    select exists (select from runs where id = ${runId}) as has_begun,
      count(*) filter (where created_at > now() - interval '1 hour')::int as runs,
      coalesce(sum(cost), 0)::float8 as cost
    from runs where source_id = ${id} and created_at > now() - interval '1 day'
      and not dry and id <> ${runId}`.execute(db)
  const [spent] = rows
  if (!spent || spent.hasBegun) return null
  if (runsPerHour !== null && spent.runs >= runsPerHour) {
    return `it had ${spent.runs} ${spent.runs === 1 ? 'run' : 'runs'} within an hour, and its limit is ${runsPerHour}.`
  }
  if (costPerDay !== null && spent.cost >= costPerDay) {
    return `its runs cost ${spent.cost.toFixed(2)} within a day, and its limit is ${costPerDay.toFixed(2)}.`
  }
  return null
}
