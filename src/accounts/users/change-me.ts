import type { Db } from '../../platform/db/database.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { checkCurrentPassword } from '../signing-in/check-current-password.ts'
import { hashPassword } from '../signing-in/password.ts'
import { actorOf } from '../signing-in/start-session.ts'
import { removeLinksOf } from '../store/links.ts'
import { removeSessionsOf } from '../store/sessions.ts'
import { lockUsers, type UserRow, updateUser } from '../store/users.ts'
import { changesOf } from './change-user.ts'
import { refuseTakenName } from './taken-names.ts'

type Context = { db: Db }
type Change = {
  name?: string
  password?: string
  currentPassword?: string
  locale?: string | null
}

/** A new password ends the person's other sessions, so that whoever knew the old one is signed out. */
export async function changeMe(
  { db }: Context,
  user: UserRow,
  { name, password, currentPassword, locale }: Change,
  here: { source: string; token: string | null },
): Promise<UserRow> {
  if (password !== undefined)
    await checkCurrentPassword(db, user, currentPassword ?? '', here.source, '/currentPassword')
  const passwordHash = password === undefined ? undefined : await hashPassword(password)
  return db.transaction().execute(async (tx) => {
    await lockUsers(tx)
    if (name !== undefined && name !== user.name) await refuseTakenName(tx, name, user.id)
    const changed = await updateUser(tx, user.id, { name, passwordHash, locale })
    if (password !== undefined) {
      await removeSessionsOf(tx, user.id, here.token)
      await removeLinksOf(tx, user.id)
    }
    await recordAudit(tx, {
      actor: actorOf(user),
      action: password === undefined ? 'user.changed' : 'user.password-changed',
      subject: user.id,
      source: here.source,
      detail: { changes: changesOf(user, changed ?? user) },
    })
    return changed ?? user
  })
}
