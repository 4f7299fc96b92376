import { useSettings } from '../../pages/settings/use-settings.ts'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { Hint } from '../../ui/layout/hint.tsx'

/** A paused agent explains why nothing happens, so every page shows it. */
export function PausedMark() {
  const { data } = useSettings()
  if (!data?.agent.paused) return null
  const { pauseReason } = data.agent
  return (
    <Hint
      multiline
      maw={420}
      label={
        pauseReason ?? 'Events are stored, but no runs start. An admin can resume the agent in Settings.'
      }
    >
      <span>
        <StatusBadge tone="waiting" word="agent paused" />
      </span>
    </Hint>
  )
}
