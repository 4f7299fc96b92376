import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { insertSession, type Visit } from '../store/sessions.ts'
import type { UserRow } from '../store/users.ts'

/** A new session: whose it is, and the token for the cookie. */
export type NewSession = { user: UserRow; token: string }

/** Always a new token, so that one planted in the browser beforehand is useless. */
export async function startSession(db: Db, user: UserRow, visit: Visit): Promise<NewSession> {
  const token = await db.transaction().execute(async (tx) => {
    const created = await insertSession(tx, user, visit)
    if (created === null)
      throw problem('sign-in-failed', 'The account was changed in the meantime. Sign in again.')
    await recordAudit(tx, { actor: actorOf(user), action: 'session.created', source: visit.source })
    return created
  })
  return { user, token }
}

export function actorOf(user: Pick<UserRow, 'id' | 'name' | 'role'>): Actor {
  return { kind: 'user', id: user.id, name: user.name, role: user.role }
}
