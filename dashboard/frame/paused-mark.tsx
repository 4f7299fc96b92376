import { Tooltip } from '@mantine/core'
import { useSettings } from '../pages/settings/use-settings.ts'
import { StatusBadge } from '../ui/status-badge.tsx'

/** A paused agent explains why nothing happens, so every page shows it. */
export function PausedMark() {
  const { data } = useSettings()
  if (!data?.agent.paused) return null
  return (
    <Tooltip label="Events are kept and no run starts. An admin resumes the agent under Settings.">
      <span>
        <StatusBadge tone="waiting" word="Agent paused" />
      </span>
    </Tooltip>
  )
}
