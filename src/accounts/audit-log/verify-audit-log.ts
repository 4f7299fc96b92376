import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { AuditVerification } from '../contract.ts'
import { type AuditKey, auditKeyOf } from './audit-key.ts'
import { findEnds } from './seal-audit-log.ts'

/** A signed head: the log had got this far on that day. */
export type AuditHead = { chain: string; position: number; hash: string; day: string }

/** Null if it is not signed by us. */
type ReadHead = (head: string) => Promise<AuditHead | null>

type Row = {
  id: string
  at: string
  actorKind: string
  actorId: string
  actorName: string
  action: string
  subject: string | null
  subjectName: string | null
  source: string | null
  detail: string | null
  mac: string | null
  position: number | null
  hash: string | null
}

const batch = 1000
const mostFaults = 100

/** Reads the whole log and says in words what does not fit. `kept`: a signed head that somebody kept elsewhere. */
export async function verifyAuditLog(db: Db, readHead: ReadHead, kept?: string): Promise<AuditVerification> {
  const key = auditKeyOf(db)
  return await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const faults: string[] = []
      const ends = await findEnds(tx, key.id)
      if (!ends) faults.push('The end of the chain was removed.')
      else if (ends.mac !== key.macOfEnds(ends)) faults.push('The end of the chain was changed by hand.')
      const heads = await listHeads(tx, readHead, kept, faults)
      const begin = { position: ends?.prunedPosition ?? 0, hash: ends?.prunedHash ?? '' }
      const read = await readChain(tx, key, begin, heads, faults)
      if (ends && read.position < ends.position)
        faults.push(
          `${countOf(ends.position - read.position)} at the end of the log ${ends.position - read.position === 1 ? 'was' : 'were'} removed.`,
        )
      for (const { position, day } of heads)
        if (position > read.position)
          faults.push(`On ${day} the log had ${position} entries; it ends at entry ${read.position} now.`)
      const unsealed = await checkUnsealed(tx, key, faults)
      return {
        ok: faults.length === 0,
        entries: read.count,
        unsealed,
        deletedForAge: begin.position,
        faults: faults.slice(0, mostFaults),
        moreFaults: Math.max(0, faults.length - mostFaults),
      }
    })
}

type Place = { position: number; hash: string }

async function readChain(
  tx: Db,
  key: AuditKey,
  begin: Place,
  heads: readonly AuditHead[],
  faults: string[],
): Promise<Place & { count: number }> {
  let { position, hash } = begin
  let count = 0
  for (;;) {
    const { rows } = await sql<Row & Place>`
      select ${columns} from audit_log where chain = ${key.id} and position > ${position}
      order by position limit ${batch}`.execute(tx)
    for (const row of rows) {
      const missing = row.position - position - 1
      if (missing > 0)
        faults.push(`${countOf(missing)} before ${nameOf(row)} ${missing === 1 ? 'was' : 'were'} removed.`)
      const fault = faultOf(key, row)
      if (fault) faults.push(fault)
      // After a gap nobody can know the hash before: the next entries are checked against the one that is written.
      else if (missing === 0 && row.hash !== key.mac('link', hash, row.position, row.id, row.mac))
        faults.push(`${nameOf(row)} is not where it was: the order of the log was changed there.`)
      for (const head of heads)
        if (head.position === row.position && head.hash !== row.hash)
          faults.push(`${nameOf(row)} is not the one that was last on ${head.day}: the log was rewritten.`)
      ;({ position, hash } = row)
      count++
    }
    if (rows.length < batch) return { position, hash, count }
  }
}

/** What is written but not sealed yet, and what Bellhop did not write. */
async function checkUnsealed(tx: Db, key: AuditKey, faults: string[]): Promise<number> {
  const { rows } = await sql<Row & { chain: string | null }>`
    select ${columns}, chain from audit_log where position is null or chain is distinct from ${key.id}
    order by id limit ${batch}`.execute(tx)
  const { rows: keys } = await sql<{ id: string }>`select id from audit_keys`.execute(tx)
  let unsealed = 0
  for (const row of rows) {
    const fault =
      row.chain === key.id
        ? faultOf(key, row)
        : lostOr(
            row,
            keys.some(({ id }) => id === row.chain),
          )
    if (fault) faults.push(fault)
    else unsealed++
  }
  return unsealed
}

function lostOr(row: Row, isKnown: boolean): string {
  return isKnown
    ? `${nameOf(row)} was written under an encryption key that is gone, so it cannot be checked.`
    : `${nameOf(row)} was inserted: Bellhop did not write it.`
}

function faultOf(key: AuditKey, { mac, position: _, hash: __, ...entry }: Row): string | null {
  const { id, at, actorKind, actorId, actorName, action, subject, subjectName, source, detail } = entry
  const expected = key.mac(
    'entry',
    id,
    at,
    actorKind,
    actorId,
    actorName,
    action,
    subject,
    subjectName,
    source,
    detail,
  )
  if (mac === expected) return null
  return mac === null
    ? `${nameOf(entry)} was inserted: Bellhop did not write it.`
    : `${nameOf(entry)} was edited, or inserted with the proof of another entry.`
}

async function listHeads(
  tx: Db,
  readHead: ReadHead,
  kept: string | undefined,
  faults: string[],
): Promise<AuditHead[]> {
  const { rows } = await sql<{ day: string; head: string }>`
    select day::text as day, head from audit_heads order by day`.execute(tx)
  const heads: AuditHead[] = []
  for (const { day, head } of [...rows, ...(kept ? [{ day: 'the head that you gave', head: kept }] : [])]) {
    const found = await readHead(head)
    if (found) heads.push(found)
    else faults.push(`The signed head of ${day} is not signed by Bellhop.`)
  }
  return heads
}

const columns = sql`id, to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US') as at, actor_kind, actor_id, actor_name, action,
  subject, subject_name, source, detail::text as detail, mac, position::float8 as position, hash`

function nameOf({ id, action, at }: Pick<Row, 'id' | 'action' | 'at'>): string {
  return `The entry ${action} of ${at.slice(0, 19)}Z (${id})`
}

const countOf = (count: number) => (count === 1 ? 'One entry' : `${count} entries`)
