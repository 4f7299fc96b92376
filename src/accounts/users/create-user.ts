import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Caller, Role } from '../../shared/actor.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import type { User } from '../contract.ts'
import { insertLink } from '../store/links.ts'
import { insertUser, lockUsers, toUser } from '../store/users.ts'
import { type LinkForPerson, linkForPerson, nameOfPerson } from './link-for-person.ts'
import { refuseTakenName } from './taken-names.ts'

type Context = { db: Db; publicUrl: string }
type NewUser = { email: string; name: string; role: Role }

/** The person sets the password through the one-time link, so nobody else ever knows it. */
export async function createUser(
  ctx: Context,
  caller: Caller,
  { email, name, role }: NewUser,
): Promise<User & { link: LinkForPerson }> {
  return ctx.db.transaction().execute(async (tx) => {
    await lockUsers(tx)
    const user = await insertUser(tx, { email, name, role, passwordHash: null })
    if (!user) {
      throw problem('email-taken', 'Another user already has this email address. Change that user instead.')
    }
    await refuseTakenName(tx, name, user.id)
    const link = await insertLink(tx, 'invitation', user.id, nameOfPerson(caller))
    await recordAudit(tx, {
      ...caller,
      action: 'user.invited',
      subject: user.id,
      detail: { email, role },
    })
    return { ...toUser(user), link: linkForPerson(ctx, link) }
  })
}
