import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId, EventId, MessageId, RunId, SourceId } from '../../shared/ids.ts'
import type { Scope } from '../../shared/scope.ts'
import type { Verdict } from '../rules/judge-events.ts'

/** The own model of a webhook or schedule, used instead of the one in the settings. */
export type OwnModel = { provider: string; name: string }

/** What a sender sent. */
export type EventContent = {
  id: EventId
  /** Exactly the text that arrived, or the JSON from a form field; null once erased. */
  body: string | null
  headers: Record<string, string>
  contentType: string | null
  receivedAt: Date
}

/** An event and its webhook or schedule as they are now, with what a rule put in their place: what a run starts from. */
export type Trigger = {
  source: Scope & {
    id: SourceId
    name: string
    prompt: string
    channelId: ChannelId
    /** Null on chat platforms, where people outside choose the names: that text is not trusted. */
    channelName: string | null
    allowSilence: boolean
    model: OwnModel | null
    runsPerHour: number | null
    costPerDay: number | null
    /** Which save of it this is; null if it was not saved since revisions are kept, and for watched channels. */
    revision: number | null
  }
  event: EventContent & {
    runId: RunId
    /** Of a schedule. */
    scheduledAt: Date | null
    /** What was written in a watched channel. */
    messageId: MessageId | null
    isTest: boolean
    /** What the rules of the webhook decided; null without rules. */
    verdict: Verdict | null
    /** Events with the same key share a thread. */
    threadKey: string | null
    /** Events that were collected for the same run, oldest first, as far as they can be held in memory. */
    joined: EventContent[]
    joinedLeftOut: number
  }
}

/** Of an event (as `e`) of a source (as `w`). */
export const channelOfEvent = sql`coalesce(e.verdict -> 'rule' ->> 'channelId', w.channel_id)`

/** The `Scope` of a source (as `w`) with its channel (as `c`). */
const scope = sql`
  w.ceiling, coalesce(w.connector_ids, c.connector_ids) as connector_ids,
  case when 'one' in (w.reads_across, c.reads_across) then 'one' else 'all' end as reads_across`

type Row = Trigger['source'] &
  Omit<Trigger['event'], 'id' | 'body' | 'joined' | 'joinedLeftOut'> & {
    body: Buffer | null
    sourceId: SourceId
    hasJoined: boolean
  }

export async function findTrigger(db: Db, eventId: EventId): Promise<Trigger | null> {
  const { rows } = await sql<Row>`
    select w.id as source_id, w.name, coalesce(e.verdict -> 'rule' ->> 'prompt', w.prompt) as prompt, ${channelOfEvent} as channel_id,
           case when c.external_id is null then c.name end as channel_name, ${scope},
           w.allow_silence, w.model, w.runs_per_hour, w.cost_per_day,
           (select max(r.n) from revisions r where r.subject = w.id) as revision, e.run_id, coalesce(e.payload, e.body) as body,
           e.headers, e.received_at, e.scheduled_at, e.message_id, e.verdict, e.thread_key,
           case when e.payload is null then e.content_type else 'application/json' end as content_type,
           e.trigger = 'test' as is_test, exists (select from events j where j.joined_to = e.id) as has_joined
    from events e join event_sources w on w.id = e.source_id left join channels c on c.id = ${channelOfEvent}
    where e.id = ${eventId}`.execute(db)
  const [row] = rows
  if (!row) return null
  const {
    sourceId,
    runId,
    body,
    headers,
    contentType,
    receivedAt,
    scheduledAt,
    messageId,
    isTest,
    verdict,
    threadKey,
    hasJoined,
    ...source
  } = row
  return {
    source: { ...source, id: sourceId },
    event: {
      id: eventId,
      runId,
      body: body?.toString('utf8') ?? null,
      headers,
      contentType,
      receivedAt,
      scheduledAt,
      messageId,
      isTest,
      verdict,
      threadKey,
      ...(hasJoined ? await listJoined(db, eventId) : { joined: [], joinedLeftOut: 0 }),
    },
  }
}

const mostJoined = { events: 500, bytes: 8 * 1024 * 1024 }

async function listJoined(
  db: Db,
  eventId: EventId,
): Promise<Pick<Trigger['event'], 'joined' | 'joinedLeftOut'>> {
  const { rows } = await sql<Omit<EventContent, 'body'> & { body: Buffer | null; total: number }>`
    select e.id, coalesce(e.payload, e.body) as body, e.headers, e.received_at, one.total::int as total,
           case when e.payload is null then e.content_type else 'application/json' end as content_type
    from (
      select id, count(*) over () as total, row_number() over (order by id) as place,
             sum(size_bytes) over (order by id) as bytes
      from events where joined_to = ${eventId}
    ) one join events e on e.id = one.id
    where one.place <= ${mostJoined.events} and one.bytes <= ${mostJoined.bytes} order by e.id`.execute(db)
  const joined = rows.map(({ total: _, body, ...rest }) => ({
    ...rest,
    body: body?.toString('utf8') ?? null,
  }))
  return { joined, joinedLeftOut: (rows[0]?.total ?? 0) - rows.length }
}

/** Null means the model or the fallback of the settings. */
export async function findOwnModels(
  db: Db,
  sourceId: SourceId,
): Promise<{ model: OwnModel | null; fallbackModel: OwnModel | null } | null> {
  const { rows } = await sql<{ model: OwnModel | null; fallbackModel: OwnModel | null }>`
    select model, fallback_model from event_sources where id = ${sourceId}`.execute(db)
  return rows[0] ?? null
}

/** The current scope; null once the webhook or schedule is deleted. */
export async function findSourceScope(db: Db, sourceId: SourceId): Promise<Scope | null> {
  const { rows } = await sql<Scope>`
    select ${scope}
    from event_sources w left join channels c on c.id = w.channel_id
    where w.id = ${sourceId} and w.state <> 'deleted'`.execute(db)
  return rows[0] ?? null
}
