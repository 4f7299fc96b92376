import type { RunStatus } from '../../contract.ts'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'

const tones: Record<RunStatus, Tone> = {
  queued: 'idle',
  running: 'busy',
  waiting: 'waiting',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'idle',
}

export const runStatuses = Object.keys(tones)

export function RunStatusBadge({ status }: { status: RunStatus }) {
  return <StatusBadge tone={tones[status]} word={status} />
}
