import type { Db } from '../../platform/db/database.ts'
import type { UserId } from '../../shared/ids.ts'
import { isRefusal } from '../platforms/platform-error.ts'
import { openStoredPlatform, type PlatformContext } from '../workspaces/open-platform.ts'
import { listSlackWorkspaces } from '../workspaces/store.ts'
import { listLinkedUsers } from './store.ts'

export type UserGroupContext = PlatformContext & { db: Db }

/** The users whose linked accounts are in a user group of Slack now. Asked each time: whoever keeps the group there decides. */
export async function listUserGroup(ctx: UserGroupContext, groupId: string): Promise<UserId[]> {
  const found: UserId[] = []
  for (const workspace of await listSlackWorkspaces(ctx.db)) {
    const platform = await openStoredPlatform(ctx, workspace)
    const members = (await platform.listGroup?.(groupId).catch(ignoreUnknownGroup)) ?? []
    found.push(...(await listLinkedUsers(ctx.db, workspace.id, members)))
  }
  return found
}

/** Ids are unique, so another workspace does not know the group. */
function ignoreUnknownGroup(error: unknown): string[] {
  if (isRefusal(error) && (error.code === 'no_such_subteam' || error.code === 'subteam_not_found')) return []
  throw error
}
