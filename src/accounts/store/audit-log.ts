import { sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import { firstIdAt } from '../../shared/ids.ts'
import { auditSentence } from '../../shared/wording/audit-sentence.ts'
import { auditTemplates } from '../../shared/wording/audit-templates.ts'
import { fieldsLabelled } from '../../shared/wording/field-words.ts'
import type { AuditFilters, AuditRecord } from '../contract.ts'

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
  request: string | null
}

/**
 * The table with the name of each kind of thing, by id prefix. Most belong to other slices and are only read here.
 */
const named = {
  usr: 'users',
  key: 'api_keys',
  hook: 'webhooks',
  sched: 'schedules',
  con: 'connectors',
  chan: 'channels',
  wsp: 'workspaces',
  pol: 'policies',
  grp: 'groups',
}

/** The time, in UTC, and the subject's name at this moment; null if it has none or the same transaction removed it. */
export async function readNowAndName(
  db: Db,
  subject: string | null,
): Promise<{ at: string; name: string | null }> {
  const table = Object.entries(named).find(([prefix]) => subject?.startsWith(`${prefix}_`))?.[1]
  const name = table ? sql`(select name from ${sql.raw(table)} where id = ${subject})` : sql`null::text`
  const { rows } = await sql<{ at: string; name: string | null }>`
    select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US') as at, ${name} as name`.execute(
    db,
  )
  const [now] = rows
  if (!now) throw new Error('The database has no time.')
  return now
}

/** What was done to what, by whom and from where: `webhook.created` is "webhook created". "the" stands in many sentences. */
const asRead = sql`concat_ws(' ', 'the', translate(action, '._-', '   '), subject_name, actor_name, source, detail::text,
  regexp_replace(detail::text, '([a-z])([A-Z])', '\\1 \\2', 'g'))`

/** What an approval sends. The table is the approvals'; its requests are kept as long as their runs. */
const requestOfApproval = sql`(
  select concat(nullif(a.request::json ->> 'method', '') || ' ', regexp_replace(a.request::json ->> 'url', '^[a-z]+://[^/?#]*', ''))
  from approvals a where a.id = audit_log.subject and a.request::json ->> 'method' <> '')`

/** The word is in what the entry says, in the sentence that people read for its action, or in the label of a field that it names. */
function saying(word: string) {
  const inSentence = Object.entries(auditTemplates).flatMap(([action, template]) =>
    (typeof template === 'string' ? template : template({})).toLowerCase().includes(word.toLowerCase())
      ? [action]
      : [],
  )
  const names = fieldsLabelled(word).flatMap((field) => [`%"${field}"%`, `%.${field}"%`])
  return sql`(position(lower(${word}) in lower(${asRead})) > 0 or action = any(${inSentence}) or detail::text like any(${names}))`
}

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
    ...words.map(saying),
  ]
  const { rows } = await sql<AuditRow>`
    select id, at, actor_kind, actor_id, actor_name, action, subject, subject_name, source, detail,
      ${requestOfApproval} as request
    from audit_log where ${allOf(conditions)} order by id desc limit ${filter.limit + 1}`.execute(db)
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
  const entry = { ...rest, at: at.toISOString(), actor: { kind: actorKind, id: actorId, name: actorName } }
  const { parts } = auditSentence(entry)
  return { ...entry, sentence: parts.map((part) => (typeof part === 'string' ? part : part.words)).join('') }
}

/** Who and what is in the log, by the last name of each: from one index entry to the next, however long the log is. */
export async function listAuditFilters(db: Db): Promise<AuditFilters> {
  const actors = await sql<{ id: string; name: string }>`
    with recursive one as (
      (select actor_id from audit_log order by actor_id limit 1)
      union all
      select (select actor_id from audit_log where actor_id > one.actor_id order by actor_id limit 1)
      from one where one.actor_id is not null)
    select actor_id as id,
      (select actor_name from audit_log a where a.actor_id = one.actor_id order by id desc limit 1) as name
    from one where actor_id is not null order by name limit 500`.execute(db)
  const actions = await sql<{ action: string }>`
    with recursive one as (
      (select action from audit_log order by action limit 1)
      union all
      select (select action from audit_log where action > one.action order by action limit 1)
      from one where one.action is not null)
    select action from one where action is not null order by action limit 500`.execute(db)
  return { actors: actors.rows, actions: actions.rows.map(({ action }) => action) }
}

/** The time of an entry comes from the database's clock, the time in its id from the process's; the index is on the id. */
const clocksDifferMs = 3_600_000

function shifted(time: Date, byMs: number): Date {
  return new Date(time.getTime() + byMs)
}
