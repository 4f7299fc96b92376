import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { hashPassword } from '../signing-in/password.ts'
import { actorOf, type NewSession, startSession } from '../signing-in/start-session.ts'
import { findLink, removeSetupLinks, takeLink } from '../store/links.ts'
import type { Visit } from '../store/sessions.ts'
import { adminExists, insertUser, lockUsers } from '../store/users.ts'
import { refuseTakenName } from './taken-names.ts'

type Context = { db: Db }
type Setup = { token: string; email: string; name: string; password: string }

/** However many requests arrive at once, in any replica: one creates the first admin, and setup is over. */
export async function createFirstAdmin({ db }: Context, setup: Setup, visit: Visit): Promise<NewSession> {
  await refuseIfDone(db)
  // Checked before the costly hash, so that a request without a valid link costs next to nothing.
  if ((await findLink(db, setup.token))?.kind !== 'setup') throw expired()
  const passwordHash = await hashPassword(setup.password)
  const admin = await db.transaction().execute(async (tx) => {
    await lockUsers(tx)
    await refuseIfDone(tx)
    if (!(await takeLink(tx, setup.token))) throw expired()
    const created = await insertUser(tx, {
      email: setup.email,
      name: setup.name,
      role: 'admin',
      passwordHash,
    })
    if (!created)
      throw problem('email-taken', 'Another user already has this email address. Use a different one.')
    await refuseTakenName(tx, setup.name, created.id)
    await removeSetupLinks(tx)
    await recordAudit(tx, {
      actor: actorOf(created),
      action: 'user.created',
      subject: created.id,
      source: visit.source,
      detail: { role: 'admin', from: 'setup link' },
    })
    return created
  })
  return startSession(db, admin, visit)
}

async function refuseIfDone(db: Db): Promise<void> {
  if (await adminExists(db)) {
    throw problem('setup-done', 'The first admin already exists. Sign in, or ask an admin for an invitation.')
  }
}

function expired() {
  return problem(
    'link-expired',
    'This link was already used, has expired or is incomplete. Restart Bellhop to get a new one.',
  )
}
