import { invalidField } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { UserRow } from '../store/users.ts'
import { verifyPassword } from './password.ts'
import { throttleGuesses } from './throttle-guesses.ts'

/** A session left open on a shared computer must not be enough to take over the account. */
export async function checkCurrentPassword(
  db: Db,
  user: UserRow,
  password: string,
  source: string,
  pointer: string,
): Promise<void> {
  const guess = await throttleGuesses(db, user.id, source)
  if (!(await verifyPassword(password, user.passwordHash))) {
    throw invalidField(pointer, 'is not your current password')
  }
  await guess.forgive()
}
