import { sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import { firstIdAt } from '../../shared/ids.ts'
import type { AuditRecord } from '../contract.ts'

type Filter = {
  limit: number
  cursor?: string
  q?: string
  action?: string
  actorId?: string
  subject?: string
  since?: Date
  until?: Date
}

type AuditRow = {
  id: string
  at: Date
  actorKind: string
  actorId: string
  actorName: string
  action: string
  subject: string | null
  subjectName: string | null
  source: string | null
  detail: Record<string, unknown> | null
}

/**
 * The table with the name of each kind of thing, by id prefix. Most belong to other slices and are only read here.
 */
const named = {
  usr: 'users',
  key: 'api_keys',
  hook: 'webhooks',
  con: 'connectors',
  chan: 'channels',
  wsp: 'workspaces',
}

/** The subject's name at this moment; null if it has none or the same transaction removed it. */
export async function findSubjectName(db: Db, subject: string): Promise<string | null> {
  const table = Object.entries(named).find(([prefix]) => subject.startsWith(`${prefix}_`))?.[1]
  if (!table) return null
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.raw(table)} where id = ${subject}`.execute(db)
  return rows[0]?.name ?? null
}

/** What was done to what, by whom and from where, as people read it: `webhook.created` is "webhook created". */
const asRead = sql`concat_ws(' ', translate(action, '._-', '   '), subject_name, actor_name, source, detail::text)`

/** The text of an entry has no index, so entries are scanned. One request scans this many and says where the next continues. */
const maxSearched = 20_000

type Listed = {
  /** One more than asked for, if there are more. */
  records: AuditRecord[]
  /** How far back the search got, if it is not finished. */
  searchedTo: { id: string; at: Date } | null
}

export async function listAuditRecords(db: Db, filter: Filter): Promise<Listed> {
  const words = (filter.q ?? '').split(/[\s:·]+/).filter((word) => word !== '')
  const searchedTo = words.length > 0 ? await findEndOfSlice(db, filter) : null
  const conditions = [
    ...matchingRecords(filter),
    searchedTo && sql`id >= ${searchedTo.id}`,
    ...words.map((word) => sql`position(lower(${word}) in lower(${asRead})) > 0`),
  ]
  const { rows } = await sql<AuditRow>`
    select id, at, actor_kind, actor_id, actor_name, action, subject, subject_name, source, detail from audit_log
    where ${allOf(conditions)} order by id desc limit ${filter.limit + 1}`.execute(db)
  return { records: rows.map(toRecord), searchedTo }
}

/** Null if everything that matches can be read at once. */
async function findEndOfSlice(db: Db, filter: Filter): Promise<{ id: string; at: Date } | null> {
  const { rows } = await sql<{ id: string; at: Date }>`
    select id, at from audit_log where ${allOf(matchingRecords(filter))}
    order by id desc limit 2 offset ${maxSearched - 1}`.execute(db)
  const [last, next] = rows
  return last && next ? last : null
}

function matchingRecords({ cursor, action, actorId, subject, since, until }: Filter) {
  return [
    cursor && sql`id < ${cursor}`,
    action && (action.includes('.') ? sql`action = ${action}` : sql`split_part(action, '.', 1) = ${action}`),
    actorId && sql`actor_id = ${actorId}`,
    subject && sql`subject = ${subject}`,
    since && sql`at >= ${since} and id >= ${firstIdAt('audit', shifted(since, -clocksDifferMs))}`,
    until && sql`at < ${until} and id < ${firstIdAt('audit', shifted(until, clocksDifferMs))}`,
  ]
}

function toRecord({ at, actorKind, actorId, actorName, ...rest }: AuditRow): AuditRecord {
  return { ...rest, at: at.toISOString(), actor: { kind: actorKind, id: actorId, name: actorName } }
}

/** The time of an entry comes from the database's clock, the time in its id from the process's; the index is on the id. */
const clocksDifferMs = 3_600_000

function shifted(time: Date, byMs: number): Date {
  return new Date(time.getTime() + byMs)
}

export async function deleteAuditRecords(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from audit_log where id in (
      select id from audit_log where id < ${firstIdAt('audit', before)} order by id limit ${limit})
    returning id`.execute(db)
  return rows.length
}
