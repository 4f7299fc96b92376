import type { EventStatus } from '../../contract.ts'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'

/** Words for people; the API's own words are for programs. */
const looks: Record<EventStatus, { tone: Tone; word: string }> = {
  accepted: { tone: 'idle', word: 'accepted' },
  dispatched: { tone: 'busy', word: 'in work' },
  done: { tone: 'good', word: 'done' },
  failed: { tone: 'bad', word: 'failed' },
  dead: { tone: 'bad', word: 'given up' },
  ignored: { tone: 'idle', word: 'no run' },
}

export const eventStatuses = Object.entries(looks).map(([value, { word }]) => ({ value, label: word }))

export function EventStatusBadge({ status }: { status: EventStatus }) {
  return <StatusBadge {...looks[status]} />
}
