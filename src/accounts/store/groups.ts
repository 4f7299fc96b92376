import { sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import { publishChange } from '../../shared/changes.ts'
import type { GroupId, UserId } from '../../shared/ids.ts'
import type { NewGroup } from '../contract.ts'

export type GroupRow = {
  id: GroupId
  name: string
  userIds: UserId[]
  claimUserIds: UserId[]
  slackUserGroup: string | null
  oidcClaim: string | null
  createdAt: Date
  updatedAt: Date
}

const membersBy = (source: 'named' | 'claim') => sql`
  coalesce((select array_agg(user_id order by user_id) from group_members m
    where m.group_id = groups.id and m.source = ${source}), '{}')`
const columns = sql`
  id, name, slack_user_group, oidc_claim, created_at, updated_at, ${membersBy('named')} as user_ids,
  ${membersBy('claim')} as claim_user_ids`

export async function listGroupRows(
  db: Db,
  { limit, cursor, q }: { limit: number; cursor?: string; q?: string },
): Promise<GroupRow[]> {
  const conditions = [cursor && sql`id < ${cursor}`, q && sql`position(lower(${q}) in lower(name)) > 0`]
  const { rows } = await sql<GroupRow>`
    select ${columns} from groups where ${allOf(conditions)} order by id desc limit ${limit + 1}`.execute(db)
  return rows
}

export async function findGroup(db: Db, id: GroupId): Promise<GroupRow | null> {
  const { rows } = await sql<GroupRow>`select ${columns} from groups where id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** Whoever names the group meanwhile waits until the transaction ends. */
export async function lockGroup(tx: Db, id: GroupId): Promise<GroupRow | null> {
  await sql`select from groups where id = ${id} for update`.execute(tx)
  return await findGroup(tx, id)
}

/** False if another group has the name. */
export async function insertGroup(tx: Db, id: GroupId, group: NewGroup): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into groups (id, name, slack_user_group, oidc_claim)
    values (${id}, ${group.name}, ${group.slackUserGroup}, ${group.oidcClaim}) on conflict do nothing`.execute(
    tx,
  )
  if (numAffectedRows === 0n) return false
  await replaceNamed(tx, id, group.userIds)
  await publishChange(tx, 'groups', id)
  return true
}

/** False if another group has the name. Another claim needs another sign-in. */
export async function updateGroup(tx: Db, before: GroupRow, group: NewGroup): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update groups set name = ${group.name}, slack_user_group = ${group.slackUserGroup}, oidc_claim = ${group.oidcClaim},
      updated_at = now()
    where id = ${before.id}
      and not exists (select from groups g where lower(g.name) = lower(${group.name}) and g.id <> ${before.id})`.execute(
    tx,
  )
  if (numAffectedRows === 0n) return false
  if (group.oidcClaim !== before.oidcClaim)
    await sql`delete from group_members where group_id = ${before.id} and source = 'claim'`.execute(tx)
  await replaceNamed(tx, before.id, group.userIds)
  await publishChange(tx, 'groups', before.id)
  return true
}

async function replaceNamed(tx: Db, id: GroupId, userIds: readonly string[]): Promise<void> {
  await sql`
    delete from group_members where group_id = ${id} and source = 'named' and user_id <> all (${userIds})`.execute(
    tx,
  )
  await sql`
    insert into group_members (group_id, user_id, source)
    select ${id}, u.id, 'named' from users u where u.id = any(${userIds}) on conflict do nothing`.execute(tx)
}

/** Those of the ids that are no user's. */
export async function findMissingUsers(db: Db, userIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select g.id from unnest(${userIds}::text[]) as g (id) where not exists (select from users u where u.id = g.id)`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

export async function deleteGroupRow(tx: Db, id: GroupId): Promise<void> {
  await sql`delete from groups where id = ${id}`.execute(tx)
  await publishChange(tx, 'groups', id)
}

/** What names the group: without it, nobody would know who decides there. */
export async function countUses(
  tx: Db,
  id: GroupId,
): Promise<{ tools: number; policies: number; approvals: number }> {
  const names = sql`(${id} = any(approvers) or exists (
    select from json_array_elements(escalate) step where step ->> 'to' = ${id}))`
  const { rows } = await sql<{ tools: number; policies: number; approvals: number }>`
    select (select count(*)::int from tool_approvers where ${names}) as tools,
      (select count(*)::int from policies where ${names}) as policies,
      (select count(*)::int from approvals where status = 'pending' and ${names}) as approvals`.execute(tx)
  return rows[0] ?? { tools: 0, policies: 0, approvals: 0 }
}

/** The groups that people join by a claim of the provider. */
export async function listClaims(db: Db): Promise<{ id: GroupId; oidcClaim: string }[]> {
  const { rows } = await sql<{ id: GroupId; oidcClaim: string }>`
    select id, oidc_claim from groups where oidc_claim is not null`.execute(db)
  return rows
}

/** The provider is gone, or another one: what it said no longer counts. */
export async function forgetClaims(tx: Db): Promise<void> {
  await sql`delete from group_members where source = 'claim'`.execute(tx)
}

/** From now on the person is by claim in these groups, and in no others. */
export async function saveClaimed(tx: Db, userId: UserId, groupIds: readonly GroupId[]): Promise<void> {
  await sql`
    delete from group_members where user_id = ${userId} and source = 'claim' and group_id <> all (${groupIds})`.execute(
    tx,
  )
  await sql`
    insert into group_members (group_id, user_id, source)
    select id, ${userId}, 'claim' from groups where id = any(${groupIds}) on conflict do nothing`.execute(tx)
}
