import type { RunStatus } from '../../contract.ts'
import { StatusBadge, type Tone } from '../../ui/feedback/status-badge.tsx'
import { capitalize } from '../../ui/text/capitalize.ts'

const looks: Record<RunStatus, { tone: Tone; word: string }> = {
  queued: { tone: 'idle', word: 'queued' },
  running: { tone: 'busy', word: 'running' },
  waiting: { tone: 'waiting', word: 'waiting' },
  succeeded: { tone: 'good', word: 'succeeded' },
  failed: { tone: 'bad', word: 'failed' },
  cancelled: { tone: 'idle', word: 'canceled' },
}

export const runStatuses = Object.entries(looks).map(([value, { word }]) => ({
  value,
  label: capitalize(word),
}))

export function RunStatusBadge({ status }: { status: RunStatus }) {
  return <StatusBadge {...looks[status]} />
}
