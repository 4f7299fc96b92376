import { problem } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { advanceTotpStep, takeRecoveryCode } from '../store/second-factors.ts'
import type { UserRow } from '../store/users.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import { loadAuthenticator, secretPlace } from './totp-secret.ts'

type Context = { db: Db; vault: Vault; now: () => Date }

/**
 * A code from the app (of this step or the ones beside it, since clocks differ) or a recovery code. Each works once.
 */
export async function acceptCode(ctx: Context, user: UserRow, code: string): Promise<boolean> {
  const digits = code.replaceAll(' ', '')
  if (!/^\d{6}$/.test(digits)) return takeRecoveryCode(ctx.db, user.id, hashRecoveryCode(code))
  if (user.totpSecret === null) return false
  const secret = ctx.vault.openIfKeyIsKnown(user.totpSecret, secretPlace(user.id))
  if (!secret) throw problem('second-factor-required', lostSecret)
  const totp = await loadAuthenticator(user, secret)
  const timestamp = ctx.now().getTime()
  const offset = totp.validate({ token: digits, window: 1, timestamp })
  return offset !== null && advanceTotpStep(ctx.db, user.id, totp.counter({ timestamp }) + offset)
}

const lostSecret =
  'Codes from your authenticator app cannot be checked, because the encryption key of its secret is gone. Send a recovery code as "code", or ask an admin to remove the app from your account.'
