import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { EventId, WebhookId } from '../../shared/ids.ts'
import type { EventStatus } from '../contract.ts'
import type { Collecting } from './collect-events.ts'
import type { RuleSettings, Verdict } from './judge-events.ts'

const rulesAreSet = sql`(h.rules is not null or h.thread_key is not null or h.collect is not null)`

/** Of a source (as `w`): it is a webhook whose events must be judged before they start. */
export const hasRules = sql`exists (select from webhooks h where h.id = w.id and ${rulesAreSet})`

/**
 * Judged events that wait for a place are looked through in each round of dispatch, and judged again when the rules change. So
 * there are at most this many of a webhook.
 */
const mostAhead = 2_000

export async function listUnjudgedWebhooks(db: Db): Promise<WebhookId[]> {
  const { rows } = await sql<{ id: WebhookId }>`
    select h.id from webhooks h
    where ${rulesAreSet} and h.state <> 'deleted' and exists (
      select from (select verdict from events where source_id = h.id and status = 'accepted' order by id limit ${mostAhead}) e
      where e.verdict is null)
    order by h.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Until the transaction ends, nobody changes the rules, and nobody else judges. Null if somebody does, or there are none. */
export async function lockRules(tx: Db, webhookId: WebhookId): Promise<RuleSettings | null> {
  const { rows: lock } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`rules ${webhookId}`}, 0)) as taken`.execute(tx)
  if (!lock[0]?.taken) return null
  const { rows } = await sql<RuleSettings>`
    select h.rules, h.thread_key, h.collect from webhooks h
    where h.id = ${webhookId} and ${rulesAreSet} and h.state <> 'deleted' for share`.execute(tx)
  return rows[0] ?? null
}

export type UnjudgedEvent = {
  id: EventId
  body: Buffer
  headers: Record<string, string>
  receivedAt: Date
}

/** Until the transaction ends, nobody erases or cancels them. */
export async function listUnjudged(
  tx: Db,
  webhookId: WebhookId,
  most: { events: number; bytes: number },
): Promise<UnjudgedEvent[]> {
  const { rows } = await sql<UnjudgedEvent>`
    select e.id, coalesce(e.payload, e.body) as body, e.headers, e.received_at
    from (
      select id, sum(size_bytes) over (order by id) - size_bytes as bytes_before
      from (select id, verdict, size_bytes from events
            where source_id = ${webhookId} and status = 'accepted' order by id limit ${mostAhead}) ahead
      where verdict is null order by id limit ${most.events}
    ) next join events e on e.id = next.id
    where next.bytes_before < ${most.bytes} and e.status = 'accepted' and e.body is not null
    order by e.id for no key update of e`.execute(tx)
  return rows
}

/** Events that collect others. Until the transaction ends, nobody erases or cancels them. */
export async function listCollecting(
  tx: Db,
  webhookId: WebhookId,
): Promise<(Collecting & { threadKey: string | null; rule: number | null })[]> {
  const { rows } = await sql<Collecting & { threadKey: string | null; rule: number | null }>`
    select id, received_at, due_at, thread_key, (verdict -> 'rule' ->> 'index')::int as rule from events
    where source_id = ${webhookId} and status = 'accepted' and due_at is not null order by id for no key update`.execute(
    tx,
  )
  return rows
}

export type JudgedRow = {
  id: EventId
  status: Extract<EventStatus, 'accepted' | 'skipped' | 'joined'>
  verdict: Verdict
  threadKey: string | null
  dueAt: Date | null
  joinedTo: EventId | null
}

export async function storeVerdicts(tx: Db, judged: readonly JudgedRow[]): Promise<void> {
  await sql`
    update events e
    set verdict = j.verdict, thread_key = j."threadKey", due_at = j."dueAt", joined_to = j."joinedTo", status = j.status,
        settled_at = case when j.status <> 'accepted' then clock_timestamp() end
    from json_to_recordset(${JSON.stringify(judged)}::json)
      as j (id text, status text, verdict json, "threadKey" text, "dueAt" timestamptz, "joinedTo" text)
    where e.id = j.id and e.status = 'accepted'`.execute(tx)
}

export async function postponeCollecting(tx: Db, id: EventId, dueAt: Date): Promise<void> {
  await sql`update events set due_at = ${dueAt} where id = ${id} and status = 'accepted'`.execute(tx)
}

/** The rules changed: what waits is judged by the new ones. What has joined another event stays with it. */
export async function forgetVerdicts(tx: Db, webhookId: WebhookId): Promise<void> {
  await sql`
    update events set verdict = null, thread_key = null, due_at = null
    where source_id = ${webhookId} and status = 'accepted' and verdict is not null
      and not exists (select from events j where j.joined_to = events.id)`.execute(tx)
}

/** The rule's text was posted. */
export async function recordNotice(db: Db, id: EventId, notice: Verdict['notice']): Promise<void> {
  await sql`
    update events set verdict = (verdict::jsonb || ${JSON.stringify({ notice })}::jsonb)::json
    where id = ${id} and erased_at is null`.execute(db)
}
