import { sql } from 'kysely'
import type { Audit } from '../../shared/audit.ts'
import { newId } from '../../shared/ids.ts'
import { readNowAndName } from '../store/audit-log.ts'
import { auditKeyOf } from './audit-key.ts'

export const recordAudit: Audit = async (db, { actor, action, subject, source, detail }) => {
  const key = auditKeyOf(db)
  const { at, name: storedName } = await readNowAndName(db, subject ?? null)
  const givenName = typeof detail?.name === 'string' ? detail.name : null
  const entry = {
    id: newId('audit'),
    at,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    action,
    subject: subject ?? null,
    subjectName: subject ? (storedName ?? givenName) : null,
    source: source ?? null,
    detail: detail ? JSON.stringify(detail) : null,
  }
  await sql`
    insert into audit_log (id, at, actor_kind, actor_id, actor_name, action, subject, subject_name, source, detail, chain, mac)
    values (${entry.id}, ${at}::timestamp at time zone 'utc', ${actor.kind}, ${actor.id}, ${actor.name}, ${action}, ${entry.subject},
            ${entry.subjectName}, ${entry.source}, ${entry.detail}, ${key.id}, ${key.mac('entry', ...Object.values(entry))})`.execute(
    db,
  )
}
