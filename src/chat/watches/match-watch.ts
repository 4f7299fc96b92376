import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Role } from '../../shared/actor.ts'
import type { MessageId, WatchId } from '../../shared/ids.ts'
import type { ActiveWatch } from './store.ts'

export type WatchContext = {
  conditions: Conditions
  now: () => Date
  /** In the transaction that stores the message: it becomes an event. In the slice events. */
  events: { storeWatched(tx: Db, written: WatchedMessage): Promise<void> }
}

export type WatchMatch = {
  watchId: WatchId
  /** What the agent reads, as JSON. */
  body: string
  /** Why the condition could not be evaluated, so that it runs; null if it could. */
  fault: string | null
}
type WatchedMessage = WatchMatch & { messageId: MessageId }

type Written = { text: string; author: { kind: 'app' | 'person'; name: string; role: Role | null } }

/** Null if the message is none of those that are watched. Nothing is lost by a condition that fails: the message counts. */
export async function matchWatch(
  { conditions, now }: Pick<WatchContext, 'conditions' | 'now'>,
  watch: ActiveWatch | null,
  { text, author }: Written,
): Promise<WatchMatch | null> {
  if (!watch || text.trim() === '') return null
  if (watch.from !== 'all' && watch.from !== (author.kind === 'app' ? 'apps' : 'people')) return null
  const body = JSON.stringify({ type: 'message', text, author, channel: watch.channelName })
  if (watch.when === null) return { watchId: watch.id, body, fault: null }
  const [answer] = await conditions.ask({ conditions: [watch.when], pointers: [] }, [
    { json: { event: body }, values: { headers: {} }, now: now().toISOString() },
  ])
  const fault = answer?.faults[0]?.says ?? null
  const isMatch = fault !== null || typeof answer?.matched === 'number'
  return isMatch ? { watchId: watch.id, body, fault } : null
}
