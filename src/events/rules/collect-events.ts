import type { EventId } from '../../shared/ids.ts'
import type { Collect } from './contract.ts'

/** An event that waits for others with the same key. */
export type Collecting = { id: EventId; receivedAt: Date; dueAt: Date }

export type Collected =
  | { kind: 'first'; dueAt: Date }
  /** The run of the first one handles it, and waits a little longer for more. */
  | { kind: 'joined'; to: Collecting; dueAt: Date }

/**
 * By the times of arrival alone, so that it does not matter how late this is decided, and a preview decides the same: what arrives
 * before the first one is due belongs to it.
 */
export function collectEvent(
  { quietSeconds, maxSeconds }: Collect,
  first: Collecting | null,
  receivedAt: Date,
): Collected {
  const after = (time: Date, seconds: number) => time.getTime() + seconds * 1000
  if (!first || receivedAt > first.dueAt)
    return { kind: 'first', dueAt: new Date(after(receivedAt, quietSeconds)) }
  const last = after(first.receivedAt, maxSeconds)
  const dueAt = new Date(Math.max(Math.min(after(receivedAt, quietSeconds), last), first.dueAt.getTime()))
  return { kind: 'joined', to: first, dueAt }
}
