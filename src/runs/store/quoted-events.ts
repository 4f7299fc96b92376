import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { publishChange } from '../../shared/changes.ts'
import { type EventId, firstIdAt, type RunId, runOf } from '../../shared/ids.ts'
import type { Step } from '../loop/journal.ts'
import type { Run } from './run-rows.ts'

type Results = NonNullable<Step['results']>

/** The tools in whose answers other events of the source are quoted. */
const quotingTools = ['earlier_events', 'read_more']
const eventIds = /\bevt_[0-9a-f-]{36}\b/g

/** The events that these answers quote from, as far as their ids tell. */
export function listQuoted(results: Results): EventId[] {
  const quoting = results.filter(({ toolName }) => quotingTools.includes(toolName))
  const ids = quoting.flatMap(({ output }) => JSON.stringify(output).match(eventIds) ?? [])
  // The pattern begins with the prefix of events.
  return [...new Set(ids)] as EventId[]
}

/** The same answers without what they quote from events, or from this one. */
export function dropQuotes(results: Results, of?: EventId): Results {
  return results.map((result) => {
    const quoted = listQuoted([result])
    if (of ? !quoted.includes(of) : quoted.length === 0) return result
    return { ...result, output: { type: 'text', value: 'An event in this answer was erased since.' } }
  })
}

/**
 * The runs whose answers the model has before it. Where it may not carry data from one connector to another, also those whose events
 * and replies it looked back at: a reply may tell what was read for it.
 */
export async function listConversation(
  db: Db,
  { id, readsAcross }: Pick<Run, 'id' | 'readsAcross'>,
  earlierRunIds: readonly RunId[],
): Promise<RunId[]> {
  const all = new Set([id, ...earlierRunIds])
  if (readsAcross === 'all') return [...all]
  for (let next = [...all]; next.length > 0; ) {
    const { rows } = await sql<{ results: string }>`
      select results from run_steps where run_id = any(${next}) and position('evt_' in results) > 0`.execute(
      db,
    )
    // We wrote this text ourselves, with exactly this shape.
    const quoted = rows.flatMap(({ results }) => listQuoted(JSON.parse(results) as Results).map(runOf))
    next = [...new Set(quoted)].filter((runId) => !all.has(runId))
    for (const runId of next) all.add(runId)
  }
  return [...all]
}

/** In the transaction that erases the event. Other runs of its source, and of their threads, may have looked back at it since. */
export async function wipeQuotes(tx: Db, eventId: EventId): Promise<void> {
  const source = await sql<{ sourceId: string; receivedAt: Date }>`
    select source_id, received_at from events where id = ${eventId}`.execute(tx)
  const [event] = source.rows
  if (!event) return
  // A minute wider, since clocks differ.
  const since = firstIdAt('run', new Date(event.receivedAt.getTime() - 60_000))
  const { rows } = await sql<{ runId: RunId; seq: number; results: string }>`
    select s.run_id, s.seq, s.results from runs r join run_steps s on s.run_id = r.id
    where r.id >= ${since} and coalesce(r.source_id, r.thread_source_id) = ${event.sourceId}
      and position(${eventId} in s.results) > 0
    for update of s`.execute(tx)
  for (const { runId, seq, results } of rows) {
    // We wrote this text ourselves, with exactly this shape.
    const kept = dropQuotes(JSON.parse(results) as Results, eventId)
    await sql`update run_steps set results = ${JSON.stringify(kept)} where run_id = ${runId} and seq = ${seq}`.execute(
      tx,
    )
  }
  if (rows.length > 0) await publishChange(tx, 'runs')
}
