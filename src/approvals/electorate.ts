import { sql } from 'kysely'
import { listUserGroup, type UserGroupContext } from '../chat/identities/list-user-group.ts'
import { PlatformError } from '../chat/platforms/platform-error.ts'
import { problem } from '../http/problems.ts'
import type { Db } from '../platform/db/database.ts'
import { type Actor, mayActAs } from '../shared/actor.ts'
import type { Approvers } from '../shared/approver-fields.ts'
import type { UserId } from '../shared/ids.ts'
import type { ApprovingGroup, Person } from './approval.ts'

/** Who may approve a call at this moment. */
export type Electorate = {
  /** People who can sign in. */
  users: ReadonlySet<string>
  /** Admins approve because no group does, or since the settings say that they always may. */
  hasAdmins: boolean
}

/** What Slack says now about the groups, read outside of any transaction. */
export type SlackMembers = { users: ReadonlySet<UserId>; failure: PlatformError | null }

export async function readSlackMembers(
  ctx: UserGroupContext,
  groups: readonly ApprovingGroup[],
): Promise<SlackMembers> {
  const users = new Set<UserId>()
  let failure: PlatformError | null = null
  for (const { slackUserGroup } of groups) {
    if (slackUserGroup === null) continue
    try {
      for (const id of await listUserGroup(ctx, slackUserGroup)) users.add(id)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      failure = error
    }
  }
  return { users, failure }
}

/** With current roles and memberships. Where every group was deleted, admins approve. */
export async function readElectorate(
  db: Db,
  groups: readonly ApprovingGroup[],
  slack: SlackMembers,
  adminsMayApprove: boolean,
): Promise<Electorate> {
  const hasAdmins = groups.length === 0 || adminsMayApprove
  const { rows } = await sql<{ id: string }>`
    select id from users u where disabled_at is null
      and (password_hash is not null or exists (select from user_identities i where i.user_id = u.id)
        or id = any(${[...slack.users]}))
      and (${hasAdmins} and role = 'admin' or id = any(${[...slack.users]}) or exists (
        select from group_members m where m.user_id = u.id and m.group_id = any(${groups.map(({ id }) => id)})))`.execute(
    db,
  )
  return { users: new Set(rows.map(({ id }) => id)), hasAdmins }
}

/** Their role was looked up a moment ago. */
export function isApprover({ users, hasAdmins }: Electorate, actor: Actor): boolean {
  return (hasAdmins && mayActAs(actor, 'admin')) || (actor.kind === 'user' && users.has(actor.id))
}

/** Whether somebody may approve what they asked for themselves. Without a rule: unless the call is destructive and enough others can. */
export function mayApproveOwn(
  { requesterMayApprove, approvalsNeeded }: Pick<Approvers, 'requesterMayApprove' | 'approvalsNeeded'>,
  capability: string,
  others: number,
): boolean {
  return requesterMayApprove ?? (capability !== 'destructive' || others < approvalsNeeded)
}

/** A person counts once: a key is its maker, whoever made the maker's key. */
export async function findPersonId(db: Db, { kind, id }: Pick<Person, 'kind' | 'id'>): Promise<string> {
  if (kind !== 'api-key') return id
  const { rows } = await sql<{ id: string }>`
    with recursive maker as (
      select id, created_by_id, 1 as depth from api_keys where id = ${id}
      union all select k.id, k.created_by_id, depth + 1 from api_keys k join maker m on k.id = m.created_by_id where depth < 20)
    select coalesce(created_by_id, id) as id from maker order by depth desc limit 1`.execute(db)
  return rows[0]?.id ?? id
}

/** Of those who approved earlier, the ones who may no more: a role or a membership was lost since. */
export async function findLapsed<Given extends { by: Person }>(
  db: Db,
  { users, hasAdmins }: Electorate,
  given: readonly Given[],
): Promise<Given[]> {
  const keyIds = given.flatMap(({ by }) => (by.kind === 'api-key' ? [by.id] : []))
  const { rows } = await sql<{ id: string }>`
    select id from api_keys where id = any(${keyIds}) and role = 'admin' and revoked_at is null`.execute(db)
  const keys = new Set(rows.map(({ id }) => id))
  return given.filter(({ by }) =>
    by.kind === 'api-key' ? !(hasAdmins && keys.has(by.id)) : !users.has(by.id),
  )
}

export function explainNoApprover(
  actor: Actor,
  groups: readonly ApprovingGroup[],
  { failure }: SlackMembers,
): Error {
  if (failure)
    return problem(
      'unavailable',
      `Slack was asked who is in the group and did not say: ${failure.message} Try again in a moment.`,
      { cause: failure },
    )
  const deny = mayActAs(actor, 'admin') ? ' As an admin, you may deny it.' : ''
  return problem(
    'not-an-approver',
    groups.length === 0
      ? `Only an admin may decide this; you are ${actor.role}. Ask an admin.`
      : `Only members of ${nameGroups(groups)} may approve this, and you are not one of them. Ask one of them.${deny}`,
  )
}

export function nameGroups(groups: readonly Pick<ApprovingGroup, 'name'>[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(groups.map(({ name }) => name))
}
