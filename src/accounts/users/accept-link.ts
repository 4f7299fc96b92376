import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { hashPassword } from '../signing-in/password.ts'
import { actorOf, type NewSession, startSession } from '../signing-in/start-session.ts'
import { findLink, takeLink } from '../store/links.ts'
import { removeSessionsOf, type Visit } from '../store/sessions.ts'
import { findUser, lockUsers, type UserRow, updateUser } from '../store/users.ts'
import { refuseTakenName } from './taken-names.ts'

type Context = { db: Db }
type Acceptance = { token: string; password: string; name?: string }
type Found = {
  kind: 'invitation' | 'password-reset'
  createdBy: string | null
  expiresAt: Date
  user: UserRow
}

/** What a link is for. Throws if it is used, expired or unknown, or if its user is disabled. */
export async function getPersonLink({ db }: Context, token: string): Promise<Found> {
  const link = await findLink(db, token)
  const user = link?.userId ? await findUser(db, link.userId) : null
  if (!link || link.kind === 'setup' || !user) throw expired()
  if (user.disabledAt) {
    throw problem(
      'link-expired',
      'Your account is disabled. Ask an admin to enable it; then this link works.',
    )
  }
  return { kind: link.kind, createdBy: link.createdBy, expiresAt: link.expiresAt, user }
}

/** Sets the password and ends all sessions. Signs in, unless a second factor is needed. */
export async function acceptLink(
  ctx: Context,
  { token, password, name }: Acceptance,
  visit: Visit,
): Promise<{ user: UserRow; entry: NewSession | null }> {
  const found = await getPersonLink(ctx, token)
  const passwordHash = await hashPassword(password)
  const user = await ctx.db.transaction().execute(async (tx) => {
    // This may create the first admin.
    await lockUsers(tx)
    if (!(await takeLink(tx, token))) throw expired()
    if (name !== undefined && name !== found.user.name) await refuseTakenName(tx, name, found.user.id)
    const changed = await updateUser(tx, found.user.id, { passwordHash, name })
    if (!changed) throw expired()
    await removeSessionsOf(tx, changed.id, null)
    await recordAudit(tx, {
      actor: actorOf(changed),
      action: found.kind === 'invitation' ? 'user.joined' : 'user.password-reset',
      subject: changed.id,
      source: visit.source,
    })
    return changed
  })
  return { user, entry: user.totpConfirmedAt ? null : await startSession(ctx.db, user, visit) }
}

function expired() {
  return problem(
    'link-expired',
    'This link was already used, has expired or is incomplete. Ask an admin for a new one.',
  )
}
