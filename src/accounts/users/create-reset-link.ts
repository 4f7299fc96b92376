import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Caller } from '../../shared/actor.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { insertLink } from '../store/links.ts'
import { findUser, findUserByEmail, lockUsers } from '../store/users.ts'
import { type LinkForPerson, linkForPerson, nameOfPerson } from './link-for-person.ts'

type Context = { db: Db; publicUrl: string }

/** The old password works until the link is used. A user who has not joined yet gets a new invitation. */
export async function createResetLink(
  ctx: Context,
  caller: Caller,
  whose: { id: string } | { email: string },
): Promise<LinkForPerson> {
  return ctx.db.transaction().execute(async (tx) => {
    await lockUsers(tx)
    const user = await ('id' in whose ? findUser(tx, whose.id) : findUserByEmail(tx, whose.email))
    if (!user) {
      throw problem('not-found', `There is no user with this ${'id' in whose ? 'id' : 'email address'}.`)
    }
    if (user.disabledAt) {
      throw problem(
        'invalid-request',
        `${user.name} is disabled, so a link would not work. Enable the account first.`,
      )
    }
    const kind = user.passwordHash ? 'password-reset' : 'invitation'
    const link = await insertLink(tx, kind, user.id, nameOfPerson(caller))
    await recordAudit(tx, {
      ...caller,
      action: kind === 'invitation' ? 'user.invited' : 'user.reset-link-created',
      subject: user.id,
    })
    return linkForPerson(ctx, link)
  })
}
