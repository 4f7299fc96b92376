import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import type { Actor } from '../shared/actor.ts'
import type { PolicyId, ScheduleId, ToolId, WebhookId } from '../shared/ids.ts'
import type { Document } from './compare-documents.ts'
import type { RevisionShape } from './contract.ts'

export type Subject = WebhookId | ScheduleId | ToolId | PolicyId | 'settings'

type Save = {
  subject: Subject
  /** Null if it was created. */
  before: Document | null
  after: Document
  changedSecrets?: readonly string[]
}

/** Of a save that brings a revision back: its number, also for the audit log. */
export type Restored = { restoredFrom?: number }

/** How many of each thing are kept. */
const kept = 100

/**
 * In the transaction of the save, whose lock on the thing makes the numbers follow each other. A save that changed nothing is none.
 * What was there before the first one is kept, too, so that there is a way back from it.
 */
export async function recordRevisions(
  tx: Db,
  { kind, id, name }: Actor,
  saves: readonly Save[],
  { restoredFrom }: Restored = {},
): Promise<void> {
  const changes = saves.filter(
    ({ before, after, changedSecrets = [] }) =>
      before === null || changedSecrets.length > 0 || !isDeepStrictEqual(before, after),
  )
  if (changes.length === 0) return
  // Texts, and not one JSON document of all: PostgreSQL cannot take a part with an escaped NUL out of that.
  const columns = [
    changes.map(({ subject }) => subject),
    changes.map(({ before }) => before && JSON.stringify(before)),
    changes.map(({ after }) => JSON.stringify(after)),
    changes.map(({ changedSecrets = [] }) => JSON.stringify(changedSecrets)),
  ].map((column) => sql`${column}::text[]`)
  const given = sql`unnest(${sql.join(columns)}) as g (subject, before, after, changed_secrets)`
  await sql`
    insert into revisions (subject, n, document)
    select subject, 1, before::json from ${given}
    where before is not null and not exists (select from revisions r where r.subject = g.subject)`.execute(tx)
  await sql`
    insert into revisions (subject, n, document, saved_by, changed_secrets, restored_from)
    select subject, (select coalesce(max(n), 0) + 1 from revisions r where r.subject = g.subject), after::json,
      ${JSON.stringify({ kind, id, name })},
      array(select json_array_elements_text(g.changed_secrets::json)), ${restoredFrom ?? null}::int
    from ${given}`.execute(tx)
  await sql`
    delete from revisions r using ${given}
    where r.subject = g.subject and r.n <= (select max(n) from revisions m where m.subject = g.subject) - ${kept}`.execute(
    tx,
  )
}

/** With the thing itself. */
export async function forgetRevisions(tx: Db, subjects: readonly Subject[]): Promise<void> {
  await sql`delete from revisions where subject = any(${subjects})`.execute(tx)
}

type Row = Omit<RevisionShape, 'changes' | 'savedAt' | 'document'> & {
  id: string
  savedAt: Date
  document: Document
  /** Of the revision before; null for the first that is kept. */
  before: Document | null
}

const idOf = sql<string>`'rev_' || n`

/** The newest first. */
export async function listRows(
  db: Db,
  subject: Subject,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select ${idOf} as id, n, saved_by, saved_at, restored_from, changed_secrets, document, before
    from (select *, lag(document) over (order by n) as before from revisions where subject = ${subject}) r
    where ${cursor ? sql`n < (select n from revisions where subject = ${subject} and ${idOf} = ${cursor})` : sql`true`} order by n desc limit ${limit + 1}`.execute(
    db,
  )
  return rows
}

export async function findDocument(db: Db, subject: Subject, n: number): Promise<Document | null> {
  const { rows } = await sql<{ document: Document }>`
    select document from revisions where subject = ${subject} and n = ${n}`.execute(db)
  return rows[0]?.document ?? null
}
