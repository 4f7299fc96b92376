import { Tooltip } from '@mantine/core'
import { StatusBadge } from '../ui/status-badge.tsx'

/** A page keeps showing its data while the server is down; this says that the data may be old. */
export function DisconnectedMark({ away }: { away: boolean }) {
  return (
    <div role="status" style={{ display: 'contents' }}>
      {away && (
        <Tooltip label="Bellhop does not answer. What you see may be old; it goes on by itself once the server is back.">
          <span>
            <StatusBadge tone="bad" word="No connection" />
          </span>
        </Tooltip>
      )}
    </div>
  )
}
