import { type Problem, problem } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { anonymousActor } from '../../shared/actor.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { hasSessionFrom, type Visit } from '../store/sessions.ts'
import { findUserByEmail, type UserRow } from '../store/users.ts'
import { acceptCode } from '../totp/accept-code.ts'
import { verifyPassword } from './password.ts'
import { type NewSession, startSession } from './start-session.ts'
import { throttleGuesses } from './throttle-guesses.ts'

type Context = { db: Db; vault: Vault; now: () => Date }
type Credentials = { email: string; password: string; code?: string }

/**
 * Gives the same answer after the same time whether the account does not exist, is disabled or has another password.
 */
export async function signIn(ctx: Context, given: Credentials, visit: Visit): Promise<NewSession> {
  const { db } = ctx
  const user = await findUserByEmail(db, given.email)
  const guess = await throttleGuesses(db, await accountOf(db, given.email, user, visit), visit.source)
  const matches = await verifyPassword(given.password, user?.passwordHash ?? null).catch(
    async (error: unknown) => {
      await guess.undo()
      throw error
    },
  )
  if (!user || !matches || user.disabledAt) throw await refusedSignIn(db, user, visit, 'password')
  if (user.totpConfirmedAt) {
    if (given.code === undefined) {
      // Not `forgive`: knowing the password must not allow more guesses at the code.
      await guess.undo()
      throw problem(
        'second-factor-required',
        'Send the code of your authenticator app, or a recovery code, as "code".',
      )
    }
    if (!(await acceptCode(ctx, user, given.code))) throw await refusedSignIn(db, user, visit, 'code')
  }
  await guess.forgive()
  return startSession(db, user, visit)
}

/** Guesses by strangers must not lock people out at addresses where they are signed in, so those addresses are counted apart. */
async function accountOf(db: Db, email: string, user: UserRow | null, { source }: Visit): Promise<string> {
  if (!user) return email
  return (await hasSessionFrom(db, user.id, source)) ? `${user.id} at ${source}` : user.id
}

/** What the person is told; the audit log has the reason. */
export async function refusedSignIn(
  db: Db,
  user: UserRow | null,
  visit: Visit,
  because: 'password' | 'code',
): Promise<Problem> {
  await recordAudit(db, {
    actor: anonymousActor,
    action: 'session.refused',
    source: visit.source,
    subject: user?.id,
    detail: {
      because: !user ? 'unknown account' : user.disabledAt ? 'disabled account' : `wrong ${because}`,
    },
  })
  return problem(
    'sign-in-failed',
    because === 'code'
      ? 'The code is wrong or was already used. Wait for the next one.'
      : 'An admin can send you a link to choose a new password. On the server, “npm run bellhop -- user reset-password” creates one.',
  )
}
