import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Caller } from '../../shared/actor.ts'
import type { VoidApprovals } from '../../shared/ports/voided.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import type { User } from '../contract.ts'
import { listApiKeysOf } from '../store/api-keys.ts'
import { removeSessionsOf } from '../store/sessions.ts'
import {
  adminExists,
  findUser,
  findUserByEmail,
  lockUsers,
  removeUser,
  toUser,
  type UserChange,
  type UserRow,
  updateUser,
} from '../store/users.ts'
import { findRole } from './find-role.ts'
import { refuseTakenName } from './taken-names.ts'

type Context = { db: Db; voidApprovals: VoidApprovals }

/** Takes effect with that user's next request, and for their pending approvals. */
export async function changeUser(
  { db, voidApprovals }: Context,
  caller: Caller,
  id: string,
  change: UserChange,
): Promise<User> {
  return db.transaction().execute(async (tx) => {
    const before = await getForChange(tx, id)
    const staysAdmin = (change.role ?? before.role) === 'admin' && change.disabled !== true
    if (!staysAdmin) await refuseLastAdmin(tx, before)
    if (change.email !== undefined) await refuseTakenEmail(tx, id, change.email)
    if (change.name !== undefined && change.name !== before.name) await refuseTakenName(tx, change.name, id)
    const after = await updateUser(tx, id, change)
    if (change.disabled) await removeSessionsOf(tx, id, null)
    if (change.disabled || change.role)
      await voidApprovals(tx, { requesterId: id, role: await findRole(tx, { kind: 'user', id }) })
    const left = staysAdmin ? {} : await nameKeysLeft(tx, id)
    const detail = { changes: changesOf(before, after ?? before), ...left }
    await recordAudit(tx, { ...caller, action: 'user.changed', subject: id, detail })
    return toUser(after ?? before)
  })
}

/** For the audit log: what of an account is no secret. */
export function changesOf(
  before: UserRow,
  after: UserRow,
): Record<string, [before: unknown, after: unknown]> {
  const shown = (row: UserRow) => {
    const { name, email, role, status } = toUser(row)
    return { name, email, role, status, locale: row.locale }
  }
  const now: Record<string, unknown> = shown(after)
  return Object.fromEntries(
    Object.entries(shown(before)).flatMap(([field, was]) =>
      was === now[field] ? [] : [[field, [was, now[field]]]],
    ),
  )
}

export async function deleteUser({ db, voidApprovals }: Context, caller: Caller, id: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const user = await getForChange(tx, id)
    await refuseLastAdmin(tx, user)
    await removeUser(tx, id)
    await voidApprovals(tx, { requesterId: id, role: null })
    const detail = { name: user.name, ...(await nameKeysLeft(tx, id)) }
    await recordAudit(tx, { ...caller, action: 'user.deleted', subject: id, detail })
  })
}

async function getForChange(tx: Db, id: string): Promise<UserRow> {
  await lockUsers(tx)
  const user = await findUser(tx, id)
  if (!user) throw problem('not-found', 'There is no user with this id.')
  return user
}

/** API keys outlive their maker, who may have kept a copy. The audit log names the ones left. */
async function nameKeysLeft(tx: Db, makerId: string): Promise<{ apiKeysLeft?: string[] }> {
  const apiKeysLeft = await listApiKeysOf(tx, makerId)
  return apiKeysLeft.length > 0 ? { apiKeysLeft } : {}
}

/** Without an admin nobody could invite, approve or undo anything. */
async function refuseLastAdmin(tx: Db, user: UserRow): Promise<void> {
  const countsAsAdmin = user.role === 'admin' && !user.disabledAt && user.passwordHash !== null
  if (countsAsAdmin && !(await adminExists(tx, user.id))) {
    throw problem(
      'last-admin',
      `${user.name} is the only admin who can sign in. Make another user an admin first.`,
    )
  }
}

async function refuseTakenEmail(tx: Db, id: string, email: string): Promise<void> {
  const holder = await findUserByEmail(tx, email)
  if (holder && holder.id !== id) throw problem('email-taken', 'Another user has this email address.')
}
