import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ApprovalId } from '../../shared/ids.ts'

export type SigningKeyRow = {
  id: string
  publicKey: string
  sealed: string | null
  createdAt: Date
  retiredAt: Date | null
}

export async function findActiveKey(db: Db): Promise<(SigningKeyRow & { sealed: string }) | null> {
  const { rows } = await sql<SigningKeyRow & { sealed: string }>`
    select * from signing_keys where retired_at is null`.execute(db)
  return rows[0] ?? null
}

/** The newest first. */
export async function listKeyRows(db: Db): Promise<SigningKeyRow[]> {
  const { rows } = await sql<SigningKeyRow>`
    select * from signing_keys order by retired_at desc nulls first, id`.execute(db)
  return rows
}

/** Those whose signatures may still be looked at: the one that signs, and those that did until a while ago. */
export async function listPublishedKeys(db: Db, overlapSeconds: number): Promise<SigningKeyRow[]> {
  const { rows } = await sql<SigningKeyRow>`
    select * from signing_keys
    where retired_at is null or retired_at > now() - make_interval(secs => ${overlapSeconds})
    order by retired_at desc nulls first, id`.execute(db)
  return rows
}

/** Nothing happens if another process was faster. */
export async function insertKey(
  db: Db,
  { id, publicKey, sealed }: Pick<SigningKeyRow, 'id' | 'publicKey' | 'sealed'>,
): Promise<void> {
  await sql`
    insert into signing_keys (id, public_key, sealed) values (${id}, ${publicKey}, ${sealed})
    on conflict do nothing`.execute(db)
}

/** Its private part is gone for good. */
export async function retireKey(tx: Db, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update signing_keys set sealed = null, retired_at = now() where id = ${id} and retired_at is null`.execute(
    tx,
  )
  return numAffectedRows === 1n
}

type StoredReceipt = { keyId: string; receipt: string; issuedAt: Date }

/** A request that the target refused with 401 is sent again, with a new receipt: the last one counts. */
export async function saveReceipt(
  db: Db,
  approvalId: ApprovalId,
  { keyId, receipt, issuedAt }: StoredReceipt,
): Promise<void> {
  await sql`
    insert into receipts (approval_id, key_id, receipt, issued_at)
    values (${approvalId}, ${keyId}, ${receipt}, ${issuedAt})
    on conflict (approval_id) do update
    set key_id = excluded.key_id, receipt = excluded.receipt, issued_at = excluded.issued_at`.execute(db)
}

export async function findReceipt(
  db: Db,
  approvalId: ApprovalId,
): Promise<(StoredReceipt & { publicKey: string }) | null> {
  const { rows } = await sql<StoredReceipt & { publicKey: string }>`
    select r.key_id, r.receipt, r.issued_at, k.public_key
    from receipts r join signing_keys k on k.id = r.key_id where r.approval_id = ${approvalId}`.execute(db)
  return rows[0] ?? null
}
