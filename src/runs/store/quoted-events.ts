import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { publishChange } from '../../shared/changes.ts'
import { type EventId, firstIdAt, type RunId } from '../../shared/ids.ts'
import type { Step } from '../loop/journal.ts'

type Results = NonNullable<Step['results']>

/** The tools in whose answers other events of the source are quoted. */
const quotingTools = ['earlier_events', 'read_more']
const eventIds = /\bevt_[0-9a-f-]{36}\b/g

/** The events that these answers quote from, as far as their ids tell. */
export function listQuoted(results: Results): string[] {
  const quoting = results.filter(({ toolName }) => quotingTools.includes(toolName))
  return [...new Set(quoting.flatMap(({ output }) => JSON.stringify(output).match(eventIds) ?? []))]
}

/** The same answers without what they quote from events, or from this one. */
export function dropQuotes(results: Results, of?: EventId): Results {
  return results.map((result) => {
    const quoted = listQuoted([result])
    if (of ? !quoted.includes(of) : quoted.length === 0) return result
    return { ...result, output: { type: 'text', value: 'An event in this answer was erased since.' } }
  })
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
