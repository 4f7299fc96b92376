import type { Db } from '../../platform/db/database.ts'
import { systemActor } from '../../shared/actor.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { emailShape, nameShape } from '../contract.ts'
import { joinByClaims } from '../groups/join-by-claims.ts'
import { removeLinksOf } from '../store/links.ts'
import { findIdentity, insertIdentity, type ProviderRow } from '../store/oidc.ts'
import type { Visit } from '../store/sessions.ts'
import { findUser, findUserByEmail, insertUser, lockUsers, type UserRow } from '../store/users.ts'
import { findFreeName } from '../users/taken-names.ts'

/** What a provider says about somebody. */
export type Claims = { sub: string; email?: unknown; email_verified?: unknown; name?: unknown; amr?: unknown }

/**
 * Finds the user by the provider's subject; else, once, by an email address that the provider has verified; else
 * creates one, if the admins allow it.
 */
export async function matchUser(
  db: Db,
  provider: ProviderRow,
  claims: Claims,
  visit: Visit,
): Promise<UserRow | 'email-not-verified' | 'not-invited' | 'disabled'> {
  const { issuer } = provider
  return db.transaction().execute(async (tx) => {
    await lockUsers(tx)
    const known = await findIdentity(tx, issuer, claims.sub)
    const user = known === null ? null : await findUser(tx, known)
    if (user) {
      await joinByClaims(tx, user.id, claims)
      return user.disabledAt ? 'disabled' : user
    }
    const email = readEmail(claims)
    if (email === null) return 'email-not-verified'
    const invited = await findUserByEmail(tx, email)
    if (invited?.disabledAt) return 'disabled'
    const joined = invited ?? (await createUserFromClaims(tx, provider, email, claims.name))
    if (!joined) return 'not-invited'
    await insertIdentity(tx, { issuer, subject: claims.sub, userId: joined.id })
    // Whoever finds the invitation later must not set a password with it.
    if (joined.passwordHash === null) await removeLinksOf(tx, joined.id)
    await joinByClaims(tx, joined.id, claims)
    await recordAudit(tx, {
      actor: systemActor,
      action: invited ? 'user.identity-linked' : 'user.created',
      subject: joined.id,
      source: visit.source,
      detail: { provider: issuer, role: joined.role },
    })
    return joined
  })
}

/**
 * Without verification, anyone could type somebody's address at the provider and get into their account here. Nor does an address
 * count that nobody can be invited with: the database might take its letters for those of somebody else (the Kelvin sign for K).
 */
function readEmail({ email, email_verified: isVerified }: Claims): string | null {
  const read = emailShape.safeParse(email)
  return isVerified === true && read.data === email ? (read.data ?? null) : null
}

async function createUserFromClaims(
  tx: Db,
  { newUsersRole }: ProviderRow,
  email: string,
  name: unknown,
): Promise<UserRow | null> {
  if (newUsersRole === null) return null
  const shown = nameShape.safeParse(typeof name === 'string' ? name.slice(0, 100) : null)
  const free = await findFreeName(tx, shown.data ?? email)
  return insertUser(tx, { email, name: free, role: newUsersRole, passwordHash: null })
}
