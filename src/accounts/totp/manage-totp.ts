import { invalidField, problem } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Caller } from '../../shared/actor.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { checkCurrentPassword } from '../signing-in/check-current-password.ts'
import { actorOf } from '../signing-in/start-session.ts'
import { throttleGuesses } from '../signing-in/throttle-guesses.ts'
import { confirmTotpRow, insertRecoveryCodes, removeTotp, storePendingTotp } from '../store/second-factors.ts'
import { findUser, type UserRow } from '../store/users.ts'
import { acceptCode } from './accept-code.ts'
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { loadAuthenticator, newTotpSecret, secretPlace } from './totp-secret.ts'

type Context = { db: Db; vault: Vault; now: () => Date }

/** The secret is shown only now. It has no effect until a first code confirms that the app has it. */
export async function enrolTotp(
  { db, vault }: Context,
  user: UserRow,
  password: string,
  source: string,
): Promise<{ secret: string; url: string }> {
  await checkCurrentPassword(db, user, password, source, '/password')
  const secret = await newTotpSecret()
  if (!(await storePendingTotp(db, user.id, vault.seal(secret, secretPlace(user.id))))) {
    throw problem(
      'in-use',
      'A second factor is already switched on. Switch it off before you set up another device.',
    )
  }
  return { secret: secret.reveal(), url: (await loadAuthenticator(user, secret)).toString() }
}

/**
 * A first code switches it on. With a later one the recovery codes are made anew, for somebody who lost them or whom the answer to
 * the first never reached.
 */
export async function confirmTotp(
  ctx: Context,
  user: UserRow,
  code: string,
  source: string,
): Promise<string[]> {
  const guess = await throttleGuesses(ctx.db, user.id, source)
  const { totpSecret: secret } = user
  const wasOn = user.totpConfirmedAt !== null
  if (!secret || !(await acceptCode(ctx, user, code))) {
    throw invalidField('/code', 'is not the code that the app shows now; check the clock of the device')
  }
  await guess.forgive()
  const codes = newRecoveryCodes()
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await confirmTotpRow(tx, user.id, secret, wasOn))) {
      throw problem(
        'in-use',
        'The setup was confirmed or restarted elsewhere in the meantime. Reload the page.',
      )
    }
    await insertRecoveryCodes(tx, user.id, codes.map(hashRecoveryCode))
    const action = wasOn ? 'totp.recovery-codes-renewed' : 'totp.enabled'
    await recordAudit(tx, { actor: actorOf(user), action, subject: user.id, source })
  })
  return codes
}

export async function disableTotp(
  { db }: Context,
  user: UserRow,
  password: string,
  source: string,
): Promise<void> {
  await checkCurrentPassword(db, user, password, source, '/password')
  await dropTotp(db, { actor: actorOf(user), source }, user.id)
}

/** For somebody who lost both device and recovery codes: they sign in by password alone again. */
export async function disableTotpOf(db: Db, caller: Caller, userId: string): Promise<void> {
  if (!(await findUser(db, userId))) throw problem('not-found', 'There is no user with this id.')
  await dropTotp(db, caller, userId)
}

async function dropTotp(db: Db, caller: Caller, userId: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await removeTotp(tx, userId)
    await recordAudit(tx, { ...caller, action: 'totp.disabled', subject: userId })
  })
}
