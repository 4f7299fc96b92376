import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { type AuditKey, auditKeyOf, type ChainEnds } from './audit-key.ts'

const batch = 500

/**
 * Links the entries that were committed since into the chain. After the commit and by one worker at a time, so that no transaction
 * that writes an entry ever waits for another one that does.
 */
export async function sealAuditLog(db: Db): Promise<void> {
  const key = auditKeyOf(db)
  let sealed: number
  do sealed = (await hasUnsealed(db, key)) ? await inChain(db, (tx, ends) => sealBatch(tx, key, ends)) : 0
  while (sealed === batch)
}

/** Deletes the oldest of the chain, and remembers where it begins now. Entries of lost chains, or of none, are only deleted. */
export async function pruneAuditLog(db: Db, beforeId: string, limit: number): Promise<number> {
  const key = auditKeyOf(db)
  return await inChain(db, async (tx, ends) => {
    const { rows } = await sql<{ position: number; hash: string }>`
      select position::int as position, hash from (
        select id, position, hash, max(id) over (order by position) as longest from audit_log
        where chain = ${key.id} and position > ${ends.prunedPosition} order by position limit ${limit}) oldest
      where longest < ${beforeId} order by position desc limit 1`.execute(tx)
    const [last] = rows
    if (last) {
      await sql`delete from audit_log where chain = ${key.id} and position <= ${last.position}`.execute(tx)
      await saveEnds(tx, key, { ...ends, prunedPosition: last.position, prunedHash: last.hash })
      return last.position - ends.prunedPosition
    }
    const others = await sql`
      delete from audit_log where id in (
        select id from audit_log where chain is distinct from ${key.id} and id < ${beforeId} order by id limit ${limit})`.execute(
      tx,
    )
    return Number(others.numAffectedRows)
  })
}

async function hasUnsealed(db: Db, key: AuditKey): Promise<boolean> {
  const { rows } = await sql`
    select from audit_log where chain = ${key.id} and position is null limit 1`.execute(db)
  return rows.length > 0
}

async function sealBatch(tx: Db, key: AuditKey, ends: ChainEnds): Promise<number> {
  const { rows } = await sql<{ id: string; mac: string | null }>`
    select id, mac from audit_log where chain = ${key.id} and position is null order by id limit ${batch}`.execute(
    tx,
  )
  let { position, hash } = ends
  const links = rows.map(({ id, mac }) => {
    position++
    hash = key.mac('link', hash, position, id, mac)
    return { id, position, hash }
  })
  await sql`
    update audit_log set position = link.position, hash = link.hash
    from unnest(${links.map(({ id }) => id)}::text[], ${links.map((link) => link.position)}::bigint[],
      ${links.map((link) => link.hash)}::text[]) as link (id, position, hash)
    where audit_log.id = link.id`.execute(tx)
  await saveEnds(tx, key, { ...ends, position, hash })
  return rows.length
}

/** Nobody else moves the ends meanwhile. Ends that somebody has set by hand stay as they are: going on would hide what is missing. */
async function inChain(db: Db, work: (tx: Db, ends: ChainEnds) => Promise<number>): Promise<number> {
  const key = auditKeyOf(db)
  return await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('accounts.audit-chain'))`.execute(tx)
    const found = await findEnds(tx, key.id)
    if (!found || found.mac !== key.macOfEnds(found))
      throw new Error(
        'The end of the audit log was changed by hand, so nothing more is sealed. Run: bellhop audit verify',
      )
    return await work(tx, found)
  })
}

export async function findEnds(db: Db, chain: string): Promise<(ChainEnds & { mac: string }) | null> {
  const { rows } = await sql<ChainEnds & { mac: string }>`
    select position::float8 as position, hash, pruned_position::float8 as pruned_position, pruned_hash, mac
    from audit_keys where id = ${chain}`.execute(db)
  return rows[0] ?? null
}

async function saveEnds(tx: Db, key: AuditKey, ends: ChainEnds): Promise<void> {
  await sql`
    update audit_keys set position = ${ends.position}, hash = ${ends.hash}, pruned_position = ${ends.prunedPosition},
      pruned_hash = ${ends.prunedHash}, mac = ${key.macOfEnds(ends)} where id = ${key.id}`.execute(tx)
}
