import type { Schedule } from '../../contract.ts'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'

export function ScheduleState({ schedule }: { schedule: Schedule }) {
  if (!schedule.active) return <StatusBadge tone="idle" word="inactive" />
  if (schedule.paused) return <StatusBadge tone="waiting" word="paused" />
  if (schedule.nextTimes.length === 0) return <StatusBadge tone="idle" word="finished" />
  return <StatusBadge tone="good" word="active" />
}
