import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'

/** A second enrolment replaces an unconfirmed one; a confirmed one must be switched off first. No code of the new secret has been used. */
export async function storePendingTotp(db: Db, userId: string, sealed: string): Promise<boolean> {
  const { rows } = await sql`
    update users set totp_secret = ${sealed}, totp_last_step = 0 where id = ${userId} and totp_confirmed_at is null
    returning id`.execute(db)
  return rows.length > 0
}

/** Confirms only the secret that the code was made with, in the state it was in: somebody may have just restarted or confirmed it. */
export async function confirmTotpRow(
  db: Db,
  userId: string,
  sealed: string,
  wasOn: boolean,
): Promise<boolean> {
  const { rows } = await sql`
    update users set totp_confirmed_at = coalesce(totp_confirmed_at, now())
    where id = ${userId} and (totp_confirmed_at is not null) = ${wasOn} and totp_secret = ${sealed}
    returning id`.execute(db)
  return rows.length > 0
}

/** When the same code is sent twice at once, one gets true. */
export async function advanceTotpStep(db: Db, userId: string, step: number): Promise<boolean> {
  const { rows } = await sql`
    update users set totp_last_step = ${step} where id = ${userId} and totp_last_step < ${step}
    returning id`.execute(db)
  return rows.length > 0
}

export async function removeTotp(db: Db, userId: string): Promise<void> {
  await sql`
    update users set totp_secret = null, totp_confirmed_at = null where id = ${userId}`.execute(db)
  await sql`delete from recovery_codes where user_id = ${userId}`.execute(db)
}

export async function insertRecoveryCodes(db: Db, userId: string, hashes: readonly string[]): Promise<void> {
  await sql`delete from recovery_codes where user_id = ${userId}`.execute(db)
  await sql`
    insert into recovery_codes (user_id, code_hash)
    select ${userId}, unnest(${hashes}::text[])`.execute(db)
}

export async function takeRecoveryCode(db: Db, userId: string, hash: string): Promise<boolean> {
  const { rows } = await sql`
    delete from recovery_codes where user_id = ${userId} and code_hash = ${hash} returning user_id`.execute(
    db,
  )
  return rows.length > 0
}
