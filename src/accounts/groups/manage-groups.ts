import { isDeepStrictEqual } from 'node:util'
import { invalidField, problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Caller } from '../../shared/actor.ts'
import { type GroupId, newId } from '../../shared/ids.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import type { Group, GroupPatch, NewGroup } from '../contract.ts'
import {
  countUses,
  deleteGroupRow,
  findGroup,
  findMissingUsers,
  type GroupRow,
  insertGroup,
  lockGroup,
  updateGroup,
} from '../store/groups.ts'

/** Memberships count from the next click on. */
export async function createGroup(db: Db, caller: Caller, group: NewGroup): Promise<Group> {
  const id = newId('group')
  return await db.transaction().execute(async (tx) => {
    await refuseMissingUsers(tx, group.userIds)
    if (!(await insertGroup(tx, id, group))) throw nameTaken(group.name)
    await recordAudit(tx, { ...caller, action: 'group.created', subject: id, detail: group })
    return toGroup(await getGroup(tx, id))
  })
}

export async function changeGroup(db: Db, caller: Caller, id: GroupId, patch: GroupPatch): Promise<Group> {
  return await db.transaction().execute(async (tx) => {
    const before = await lockGroup(tx, id)
    if (!before) throw unknownGroup()
    const { name, userIds, slackUserGroup, oidcClaim } = { ...before, ...patch }
    await refuseMissingUsers(tx, patch.userIds ?? [])
    const next = { name, userIds: [...new Set(userIds)].toSorted(), slackUserGroup, oidcClaim }
    // Whoever applies the same file again changes nothing.
    const known = {
      name: before.name,
      userIds: before.userIds.toSorted(),
      slackUserGroup: before.slackUserGroup,
    }
    if (isDeepStrictEqual(next, { ...known, oidcClaim: before.oidcClaim })) return toGroup(before)
    if (!(await updateGroup(tx, before, next))) throw nameTaken(name)
    await recordAudit(tx, { ...caller, action: 'group.changed', subject: id, detail: patch })
    return toGroup(await getGroup(tx, id))
  })
}

export async function deleteGroup(db: Db, caller: Caller, id: GroupId): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const group = await lockGroup(tx, id)
    if (!group) throw unknownGroup()
    const { tools, policies, approvals } = await countUses(tx, id)
    if (tools + policies + approvals > 0)
      throw problem(
        'in-use',
        `${group.name} still approves or is mentioned: ${tools} tools, ${policies} policies, ${approvals} waiting calls. Choose another group there first.`,
      )
    await deleteGroupRow(tx, id)
    await recordAudit(tx, { ...caller, action: 'group.deleted', subject: id, detail: { name: group.name } })
  })
}

export async function getGroup(db: Db, id: GroupId): Promise<GroupRow> {
  const group = await findGroup(db, id)
  if (!group) throw unknownGroup()
  return group
}

export function toGroup(row: GroupRow): Group {
  return { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }
}

async function refuseMissingUsers(tx: Db, userIds: readonly string[]): Promise<void> {
  const [missing] = await findMissingUsers(tx, userIds)
  if (missing !== undefined)
    throw invalidField(`/userIds/${userIds.indexOf(missing)}`, 'There is no user with this id.')
}

const unknownGroup = () => problem('not-found', 'There is no group with this id, or it was deleted.')

const nameTaken = (name: string) =>
  problem('name-taken', `There is a group called ${name} already. Choose another name.`)
