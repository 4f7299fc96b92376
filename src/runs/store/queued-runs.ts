import { type RawBuilder, sql } from 'kysely'
import { maySeePrivate, visibleTo } from '../../chat/visible-to.ts'
import type { EventStatus } from '../../events/contract.ts'
import { channelOfEvent } from '../../events/inbox/find-trigger.ts'
import { listSourcesThatWait } from '../../events/ledger/events.ts'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import { channelName, sourceName } from '../../shared/display-names.ts'
import { eventOf, firstIdAt, type RunId, type SourceId } from '../../shared/ids.ts'
import type { RunSort } from '../contract.ts'
import type { RunStatus } from '../loop/run.ts'

/** An event whose run has not started. The run exists for callers as soon as the sender was given its id. */
export type QueuedRun = {
  id: RunId
  eventId: string
  eventStatus: EventStatus
  sourceId: SourceId
  channelId: string
  trigger: 'webhook' | 'test' | 'schedule' | 'watch'
  prompt: string
  name: string
  sourceName: string | null
  channelName: string | null
  receivedAt: Date
  settledAt: Date | null
  rule: { index: number; when: string; then: string } | null
  joinedTo: string | null
}

const columnsFor = (actor: Actor) => sql`
  e.run_id as id, e.id as event_id, e.status as event_status, e.source_id, ${channelOfEvent} as channel_id, e.trigger, coalesce(e.verdict -> 'rule' ->> 'prompt', w.prompt) as prompt, w.name,
  ${sourceName(sql`w.id`)} as source_name,
  ${channelName(channelOfEvent, { seesPrivate: maySeePrivate(actor) })} as channel_name, e.received_at, e.settled_at,
  e.verdict -> 'rule' as rule, e.joined_to`

export async function findQueued(db: Db, actor: Actor, id: RunId): Promise<QueuedRun | null> {
  const { rows } = await sql<QueuedRun>`
    select ${columnsFor(actor)} from events e join event_sources w on w.id = e.source_id
    where e.id = ${eventOf(id)} and e.run_id = ${id} and ${queuedVisibleTo(actor)}`.execute(db)
  return rows[0] ?? null
}

/** Like run-visible-to.ts, for a run without a row: it will be in the channel of its source (as `w`), and no person asked for it. */
function queuedVisibleTo(actor: Actor): RawBuilder<unknown> {
  return visibleTo(actor, sql`w.channel_id`, sql`w.id`)
}

export type RunFilter = {
  status?: RunStatus
  sourceId?: string
  channelId?: string
  runId?: string
  eventId?: string
  trigger?: string
  from?: Date
  to?: Date
  q?: string
  /** Ran at least one call of it. */
  toolId?: string
  model?: string
  minCost?: number
  /** Somebody gave its reply this thumb. */
  thumb?: 'up' | 'down'
  /** Failed, and no later run of its event succeeded or is under way. */
  unresolved?: boolean
  /** Instead of newest first. */
  sort?: RunSort
  cursor?: string
  limit: number
}

/**
 * The newest queued runs, source by source along the index of the inbox: one probe for each source that has any, however many
 * events there are. An accepted event has no run yet, a parked one has. An event and its run share a number, so both sort alike.
 */
export async function listQueued(db: Db, actor: Actor, of: RunFilter): Promise<QueuedRun[]> {
  const sourceIds = of.sourceId ? [of.sourceId] : await listSourcesThatWait(db)
  const limit = of.limit + 1
  const where = allOf([
    of.eventId && sql`e.id = ${of.eventId}`,
    // A text that is not an id matches nothing.
    of.runId && sql`e.id = ${eventOf(of.runId as RunId)} and e.run_id = ${of.runId}`,
    of.sourceId && sql`e.source_id = ${of.sourceId}`,
    of.trigger && sql`e.trigger = ${of.trigger}`,
    of.from && sql`e.id >= ${firstIdAt('event', of.from)}`,
    of.to && sql`e.id < ${firstIdAt('event', of.to)}`,
    // The cursor is a run id, since the list issued it.
    of.cursor && sql`e.id < ${eventOf(of.cursor as RunId)}`,
  ])
  const ofSource = allOf([queuedVisibleTo(actor), of.channelId && sql`w.channel_id = ${of.channelId}`])
  const { rows } = await sql<QueuedRun>`
    with waiting as (
      (select newest.id from unnest(${sourceIds}::text[]) as i (id) join event_sources w on w.id = i.id cross join lateral (
         select e.id from events e where e.source_id = i.id and e.status = 'accepted' and ${where} order by e.id desc limit ${limit}
       ) newest where ${ofSource} order by newest.id desc limit ${limit})
      union all
      (select e.id from events e where e.status = 'dispatched' and not e.parked and ${where}
         and not exists (select from runs r where r.id = e.run_id))
    )
    -- With limit 1 these stay primary key lookups, whatever the planner estimates.
    select ${columnsFor(actor)} from waiting
    cross join lateral (select * from events one where one.id = waiting.id limit 1) e
    cross join lateral (select * from event_sources one where one.id = e.source_id limit 1) w
    where ${ofSource} order by e.id desc limit ${limit}`.execute(db)
  return rows
}
