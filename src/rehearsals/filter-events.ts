import { judgeEvents } from '../events/rules/judge-events.ts'
import type { Conditions } from '../platform/conditions/open-conditions.ts'
import type { Db } from '../platform/db/database.ts'
import { type ChosenEvent, listBodies } from './store.ts'

/** Bodies are as large as senders make them. */
const atOnce = 20

/** Those for which the condition is true, the newest first, as many as wanted. One that cannot be evaluated is no match. */
export async function filterEvents(
  { db, conditions }: { db: Db; conditions: Conditions },
  candidates: readonly ChosenEvent[],
  { when, most }: { when: string; most: number },
): Promise<ChosenEvent[]> {
  const settings = { rules: [{ when, then: 'run' as const }], threadKey: null, collect: null }
  const fitting: ChosenEvent[] = []
  for (let at = 0; at < candidates.length && fitting.length < most; at += atOnce) {
    const some = candidates.slice(at, at + atOnce)
    const events = await listBodies(
      db,
      some.map(({ id }) => id),
    )
    const judged = await judgeEvents(conditions, settings, events)
    const matching = new Set(judged.flatMap(({ event, verdict }) => (verdict.rule ? [event.id] : [])))
    fitting.push(...some.filter(({ id }) => matching.has(id)))
  }
  return fitting.slice(0, most)
}
