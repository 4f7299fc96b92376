import type { Db } from './platform/db/database.ts'
import { mention } from './platform/db/say.ts'

/** What the pages of the dashboard show: the same words as in the paths of the API. */
export type ChangedKind =
  | 'runs'
  | 'events'
  | 'approvals'
  | 'webhooks'
  | 'connectors'
  | 'workspaces'
  | 'settings'
  | 'users'
  | 'api-keys'
  | 'sessions'

export const changesChannel = 'changes'

/**
 * Pages that show this thing, in any process, reload it shortly after the commit. Cheap for the caller: notices of
 * many changes are sent together (platform/db/gather-words.ts), and a lost one delays a reader by some seconds.
 */
export function noteChange(db: Db, kind: ChangedKind, id: string | null = null): Promise<void> {
  return mention(db, changesChannel, kind, id)
}
