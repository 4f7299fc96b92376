import { problem } from '../../http/problems.ts'
import { hashToken } from '../../platform/crypto/token.ts'
import type { Db } from '../../platform/db/database.ts'
import { networkOf } from '../../platform/http-server/network-of.ts'
import { forgetAttempts, type Limit, returnAttempt, takeAttempt } from '../store/attempts.ts'

/** Allows a person some typing errors; a program that guesses gets one try a minute per account. */
const perAccount: Limit = { burst: 10, everySeconds: 60 }
/** Higher, because a whole office behind one address may sign in at nine o'clock. Only failures count. */
const perSource: Limit = { burst: 30, everySeconds: 10 }
/** Sign-ins begun at the provider: a whole office may begin at once, but a program soon has to wait. */
const oidcStarts: Limit = { burst: 100, everySeconds: 2 }

type Guess = {
  /** The guess was right: the account's count starts again. */
  forgive(): Promise<void>
  /** The guess was neither right nor wrong: it is not counted. */
  undo(): Promise<void>
}

/**
 * Call before a password or code is checked. A guess counts as wrong unless one of these is called. The account is a
 * user's id, or what was typed if there is no such user, so that both are refused alike.
 */
export async function throttleGuesses(db: Db, account: string, source: string): Promise<Guess> {
  // Hashed, so that we do not store what people type into the email field by mistake.
  const guessed = `account ${hashToken(account.toLowerCase())}`
  const fromSource = await throttleSource(db, source)
  refuse(await takeAttempt(db, guessed, perAccount), 'Too many failed attempts for this account.')
  return {
    async forgive() {
      await forgetAttempts(db, guessed)
      await fromSource.undo()
    },
    async undo() {
      await returnAttempt(db, guessed, perAccount)
      await fromSource.undo()
    },
  }
}

/** For attempts without a known account: only the address is counted. */
export async function throttleSource(db: Db, source: string): Promise<Pick<Guess, 'undo'>> {
  const address = `source ${networkOf(source)}`
  refuse(await takeAttempt(db, address, perSource), 'Too many failed attempts from this address.')
  return { undo: () => returnAttempt(db, address, perSource) }
}

export async function throttleOidcStarts(db: Db, source: string): Promise<void> {
  const seconds = await takeAttempt(db, `departures ${networkOf(source)}`, oidcStarts)
  refuse(seconds, 'Too many sign-ins were begun from this address.')
}

function refuse(seconds: number, because: string): void {
  if (seconds === 0) return
  throw problem('too-many-requests', `${because} Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
