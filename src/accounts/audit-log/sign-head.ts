import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Statements } from '../../shared/ports/statements.ts'
import { auditKeyOf } from './audit-key.ts'
import { findEnds } from './seal-audit-log.ts'
import type { AuditHead } from './verify-audit-log.ts'

type Context = { db: Db; log: Log; statements: Statements }

/**
 * Once a day: how far the log has got, signed. It also goes to the service's own log: kept elsewhere, a head shows even that somebody
 * put an older copy of the whole database in place.
 */
export async function signHead({ db, log, statements }: Context): Promise<void> {
  const { id: chain } = auditKeyOf(db)
  const ends = await findEnds(db, chain)
  const { rows } = await sql<{ day: string; isSigned: boolean }>`
    select day::text as day, exists (select from audit_heads h where h.day = today.day) as is_signed
    from (select (now() at time zone 'utc')::date as day) today`.execute(db)
  const [today] = rows
  if (!ends || !today || today.isSigned || ends.position === 0) return
  const head = await statements.sign('audit-head', {
    chain,
    position: ends.position,
    hash: ends.hash,
    day: today.day,
  } satisfies AuditHead)
  const { numAffectedRows } = await sql`
    insert into audit_heads (day, chain, position, hash, head)
    values (${today.day}::date, ${chain}, ${ends.position}, ${ends.hash}, ${head}) on conflict do nothing`.execute(
    db,
  )
  if (numAffectedRows === 1n) log.info({ day: today.day, position: ends.position, head }, 'audit.head')
}
