import type { Notifications } from '../platform/db/notifications.ts'
import { type ChangedKind, changesChannel } from '../shared/changes.ts'

/** The ids that changed, by kind; null if there are many or they are unknown. */
export type Changes = Partial<Record<ChangedKind, string[] | null>>

export type FollowChanges = (hear: (changes: Changes | 'missed') => void) => () => void

/** One per process: passes on the changes that any process announces. `missed` means that anything may have changed. */
export async function openFollowChanges(notifications: Notifications): Promise<FollowChanges> {
  const followers = new Set<(changes: Changes | 'missed') => void>()
  await notifications.listen(changesChannel, (payload) => {
    // Only publishChange writes to this channel of the database.
    const changes = payload === null ? 'missed' : (JSON.parse(payload) as Changes)
    for (const hear of followers) hear(changes)
  })
  return (hear) => {
    followers.add(hear)
    return () => void followers.delete(hear)
  }
}
