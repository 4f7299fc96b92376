import { sql } from 'kysely'
import type { Audit } from '../audit.ts'
import { newId } from '../ids.ts'

export const recordAudit: Audit = async (db, { actor, action, subject, source, detail }) => {
  await sql`
    insert into audit_log (id, actor_kind, actor_id, actor_name, action, subject, source, detail)
    values (${newId('audit')}, ${actor.kind}, ${actor.id}, ${actor.name}, ${action}, ${subject ?? null},
            ${source ?? null}, ${detail ? JSON.stringify(detail) : null})`.execute(db)
}
