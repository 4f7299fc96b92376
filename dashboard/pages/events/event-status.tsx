import type { EventStatus } from '../../contract.ts'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'

const tones: Record<EventStatus, Tone> = {
  accepted: 'idle',
  dispatched: 'busy',
  done: 'good',
  failed: 'bad',
  dead: 'bad',
  ignored: 'idle',
}

export const eventStatuses = Object.keys(tones)

export function EventStatusBadge({ status }: { status: EventStatus }) {
  return <StatusBadge tone={tones[status]} word={status} />
}
