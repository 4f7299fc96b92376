import type { Db } from '../platform/db/database.ts'
import { notifyChange } from '../platform/db/notify.ts'

/** What the pages of the dashboard show: the same words as in the paths of the API. */
export type ChangedKind =
  | 'runs'
  | 'events'
  | 'approvals'
  | 'questions'
  | 'policies'
  | 'groups'
  | 'webhooks'
  | 'schedules'
  | 'rehearsals'
  | 'connectors'
  | 'workspaces'
  | 'settings'
  | 'users'
  | 'api-keys'
  | 'sessions'

export const changesChannel = 'changes'

/**
 * Pages that show this thing, in any process, reload it shortly after the commit. Cheap for the caller: notices of
 * many changes are sent together (platform/db/batch-notifications.ts), and a lost one delays a reader by some seconds.
 */
export function publishChange(db: Db, kind: ChangedKind, id: string | null = null): Promise<void> {
  return notifyChange(db, changesChannel, kind, id)
}
