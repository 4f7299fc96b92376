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
 * Whoever looks at it, in whatever process, reads it again within a moment of the commit. It costs the caller nothing: the words of many
 * changes go out together (platform/db/gather-words.ts), and losing one costs a reader some seconds.
 */
export function noteChange(db: Db, kind: ChangedKind, id: string | null = null): Promise<void> {
  return mention(db, changesChannel, kind, id)
}
