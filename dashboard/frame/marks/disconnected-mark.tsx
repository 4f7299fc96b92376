import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { Hint } from '../../ui/layout/hint.tsx'

/** A page keeps showing its data while the server is down; this says that the data may be old. */
export function DisconnectedMark({ away }: { away: boolean }) {
  return (
    <div role="status" style={{ display: 'contents' }}>
      {away && (
        <Hint label="Cannot reach the server. This page may be out of date. It reconnects automatically.">
          <span>
            <StatusBadge tone="bad" word="disconnected" />
          </span>
        </Hint>
      )}
    </div>
  )
}
