import type { EventStatus } from '../../contract.ts'
import { StatusBadge, type Tone } from '../../ui/feedback/status-badge.tsx'
import { capitalize } from '../../ui/text/capitalize.ts'

/** Words for people; the API's own words are for programs. */
const looks: Record<EventStatus, { tone: Tone; word: string }> = {
  accepted: { tone: 'idle', word: 'accepted' },
  dispatched: { tone: 'busy', word: 'processing' },
  done: { tone: 'good', word: 'answered' },
  failed: { tone: 'bad', word: 'failed' },
  dead: { tone: 'bad', word: 'gave up' },
  skipped: { tone: 'idle', word: 'skipped' },
  notified: { tone: 'good', word: 'notified' },
  joined: { tone: 'good', word: 'joined' },
  missed: { tone: 'bad', word: 'missed' },
  ignored: { tone: 'idle', word: 'ignored' },
}

const waiting = { tone: 'waiting', word: 'waiting for approval' } as const

/** A choice of the filter: no status of its own, but dispatched. */
export const waitingForApproval = 'waiting'

export const eventStatuses = Object.entries(looks).flatMap(([value, { word }]) => {
  const status = { value, label: capitalize(word) }
  return value === 'dispatched'
    ? [status, { value: waitingForApproval, label: capitalize(waiting.word) }]
    : [status]
})

type Props = { status: EventStatus; waitsForApproval?: boolean }

export function EventStatusBadge({ status, waitsForApproval = false }: Props) {
  return <StatusBadge {...(waitsForApproval ? waiting : looks[status])} />
}
