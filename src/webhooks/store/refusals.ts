import { sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import { publishChange } from '../../shared/changes.ts'
import { firstIdAt, type WebhookId } from '../../shared/ids.ts'
import { forgetFormerRequests } from './refused-requests.ts'

export type Refusal = {
  id: string
  webhookId: WebhookId
  at: Date
  status: number
  problem: string
  reason: string
  source: string
  headers: Record<string, string>
  contentType: string | null
  sizeBytes: number | null
  sealedRequest: string | null
}

export type ListedRefusal = Omit<Refusal, 'sealedRequest'> & { requestKept: boolean }

const kept = 100

/** Adds the latest refusals and deletes the oldest of the same webhooks. */
export async function insertRefusals(db: Db, refusals: readonly Refusal[]): Promise<void> {
  await sql`
    insert into refusals (id, webhook_id, at, status, problem, reason, source, headers, content_type, size_bytes, sealed_request)
    select id, "webhookId", at, status, problem, reason, source, headers, "contentType", "sizeBytes", "sealedRequest"
    from json_to_recordset(${write(refusals)}) as r (
      id text, "webhookId" text, at timestamptz, status integer, problem text, reason text, source text, headers json,
      "contentType" text, "sizeBytes" integer, "sealedRequest" text)`.execute(db)
  const webhookIds = [...new Set(refusals.map((refusal) => refusal.webhookId))]
  await sql`
    delete from refusals r using unnest(${webhookIds}::text[]) as w (id)
    where r.webhook_id = w.id and r.id <= (
      select o.id from refusals o where o.webhook_id = w.id order by o.id desc offset ${kept} limit 1)`.execute(
    db,
  )
  await forgetFormerRequests(db, webhookIds)
  for (const id of webhookIds) await publishChange(db, 'webhooks', id)
}

/** All of them; of a storm only the latest are kept with their reason. */
export async function countRefusedHour(
  db: Db,
  counts: ReadonlyMap<WebhookId, number>,
  now: Date,
): Promise<void> {
  await sql`
    insert into refused_hours (hour, webhook_id, refused)
    select ${Math.floor(now.getTime() / 3_600_000)}, c.id, c.refused
    from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::int[]) as c (id, refused)
    order by c.id
    on conflict (hour, webhook_id) do update set refused = refused_hours.refused + excluded.refused`.execute(
    db,
  )
}

/** A reason may quote the settings, which may contain what the database does not accept as text: NUL or a lone surrogate. */
function write(refusals: readonly Refusal[]): string {
  const clean = (value: unknown) => (typeof value === 'string' ? replaceNul(value).toWellFormed() : value)
  return JSON.stringify(refusals, (_key, value) => clean(value))
}

export async function listRefusals(
  db: Db,
  webhookId: WebhookId,
  of: { id?: string; cursor?: string; limit: number },
): Promise<ListedRefusal[]> {
  const { rows } = await sql<ListedRefusal>`
    select id, webhook_id, at, status, problem, reason, source, headers, content_type, size_bytes,
           sealed_request is not null as request_kept
    from refusals
    where webhook_id = ${webhookId} and ${allOf([of.id && sql`id = ${of.id}`, of.cursor && sql`id < ${of.cursor}`])}
    order by id desc limit ${of.limit + 1}`.execute(db)
  return rows
}

export async function deleteRefusals(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from refusals where id in (
      select id from refusals where id < ${firstIdAt('refusal', before)} order by id limit ${limit})
    returning id`.execute(db)
  return rows.length
}

export async function deleteRefusedHours(db: Db, before: Date): Promise<void> {
  await sql`delete from refused_hours where hour < ${Math.floor(before.getTime() / 3_600_000)}`.execute(db)
}

/** Adds failures to the counts that all processes share, and returns where each address stands. */
export async function addFailures(
  db: Db,
  failures: ReadonlyMap<string, number>,
  stepSeconds: number,
): Promise<{ source: string; debtSeconds: number }[]> {
  const { rows } = await sql<{ source: string; debtSeconds: number }>`
    insert into failing_sources (source, refilled_at)
    select f.source, clock_timestamp() + make_interval(secs => f.failures * ${stepSeconds}::float8)
    from unnest(${[...failures.keys()]}::text[], ${[...failures.values()]}::int[]) as f (source, failures)
    order by f.source
    on conflict (source) do update
    set refilled_at = greatest(failing_sources.refilled_at, clock_timestamp())
                  + (excluded.refilled_at - clock_timestamp())
    returning source, extract(epoch from refilled_at - clock_timestamp())::float8 as debt_seconds`.execute(db)
  return rows
}

export async function forgetQuietSources(db: Db): Promise<void> {
  await sql`delete from failing_sources where refilled_at < clock_timestamp()`.execute(db)
}
