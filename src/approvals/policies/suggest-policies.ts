import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { conditionPath } from '../../shared/condition-path.ts'
import { listPastDecisions, type PastDecision } from './backtest.ts'
import type { PolicySuggestion } from './contract.ts'

const days = 90
/** Fewer decisions are no pattern. */
const minApproved = 10
/** A value that was approved fewer times is no pattern either: one odd call must not widen a rule. */
const minOfEach = 3
const mostValues = 5

/** Rules that tools' own histories speak for: sets and upper bounds only, drawn from what people approved and never denied. */
export async function suggestPolicies(db: Db): Promise<PolicySuggestion[]> {
  const { rows } = await sql<{ toolId: string; tool: string }>`
    select a.tool_id, max(a.tool) as tool from approvals a join tools t on t.id = a.tool_id
    where a.created_at > now() - make_interval(days => ${days}) and a.status = 'approved' and a.capability = 'write'
      and a.decided_by ->> 'kind' <> 'policy'
      and not exists (select from policies p where p.tool_id = a.tool_id)
    group by a.tool_id having count(*) >= ${minApproved} order by count(*) desc limit 20`.execute(db)
  const suggestions: PolicySuggestion[] = []
  for (const { toolId, tool } of rows) {
    const suggestion = suggestFrom(tool, await listPastDecisions(db, toolId, days))
    if (suggestion) suggestions.push(suggestion)
  }
  return suggestions
}

/** Null if the decisions do not speak for a rule: somebody said no, or some input has no clear pattern. */
function suggestFrom(tool: string, past: readonly PastDecision[]): PolicySuggestion | null {
  if (past.length < minApproved || past.some(({ status }) => status === 'denied')) return null
  const inputs = past.map(({ input }) => JSON.parse(input) as unknown)
  if (!inputs.every(isFlat)) return null
  const names = [...new Set(inputs.flatMap((input) => Object.keys(input)))].sort()
  const terms: string[] = []
  for (const name of names) {
    const term = termFor(
      name,
      inputs.map((input) => input[name]),
    )
    if (term === null) return null
    terms.push(...term)
  }
  const perDay = Math.max(
    ...Map.groupBy(past, ({ createdAt }) => createdAt.toISOString().slice(0, 10))
      .values()
      .map((calls) => calls.length),
  )
  return {
    tool,
    when: terms.join(' && ') || 'true',
    cap: { calls: perDay, per: 'day' },
    approved: past.length,
    because: `People approved all ${past.length} calls of the last ${days} days, at most ${perDay} a day.`,
  }
}

type Flat = Record<string, string | number | boolean>

function isFlat(input: unknown): input is Flat {
  return (
    typeof input === 'object' &&
    input !== null &&
    !Array.isArray(input) &&
    Object.values(input).every((value) => ['string', 'number', 'boolean'].includes(typeof value))
  )
}

/** Null if there is no pattern. Numbers get an upper bound, few values a set; what differs in nearly every call is left open. */
function termFor(name: string, values: readonly (Flat[string] | undefined)[]): string[] | null {
  // Optional inputs make calls of different kinds; a rule for all of them would be too wide.
  if (values.includes(undefined)) return null
  const at = conditionPath('input', name)
  const present = values.filter((value) => value !== undefined)
  if (present.every((value) => typeof value === 'number')) {
    const sorted = [...present].sort((a, b) => b - a)
    // The largest must not stand alone: one large approval would raise the bound for all.
    const bound = sorted[minOfEach - 1] ?? 0
    return [`${at} >= 0`, `${at} <= ${bound}`]
  }
  const counts = new Map<unknown, number>()
  for (const value of present) counts.set(value, (counts.get(value) ?? 0) + 1)
  if (counts.size >= present.length * 0.9) return []
  const isSet = counts.size <= mostValues && [...counts.values()].every((count) => count >= minOfEach)
  if (!isSet) return null
  const set = [...counts.keys()].map((value) => JSON.stringify(value)).sort()
  return [set.length === 1 ? `${at} == ${set[0]}` : `${at} in [${set.join(', ')}]`]
}
