import { Tooltip } from '@mantine/core'
import { StatusBadge } from '../ui/status-badge.tsx'

/** What a page shows stays while the server is away; that it may be old by now is said beside it. */
export function AwayMark({ away }: { away: boolean }) {
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
