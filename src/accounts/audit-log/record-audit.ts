import { sql } from 'kysely'
import type { Audit } from '../../shared/audit.ts'
import { newId } from '../../shared/ids.ts'
import { findSubjectName } from '../store/audit-log.ts'

export const recordAudit: Audit = async (db, { actor, action, subject, source, detail }) => {
  const givenName = typeof detail?.name === 'string' ? detail.name : null
  const name = subject ? ((await findSubjectName(db, subject)) ?? givenName) : null
  await sql`
    insert into audit_log (id, actor_kind, actor_id, actor_name, action, subject, subject_name, source, detail)
    values (${newId('audit')}, ${actor.kind}, ${actor.id}, ${actor.name}, ${action}, ${subject ?? null}, ${name},
            ${source ?? null}, ${detail ? JSON.stringify(detail) : null})`.execute(db)
}
