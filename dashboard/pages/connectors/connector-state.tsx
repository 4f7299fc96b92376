import type { Connector } from '../../contract.ts'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'

export function ConnectorState({ connector }: { connector: Connector }) {
  if (connector.grant?.state === 'reconnect') return <StatusBadge tone="bad" word="reconnect" />
  if (connector.authType === 'oauth' && connector.grant?.state === 'none')
    return <StatusBadge tone="waiting" word="not connected" />
  if (connector.health.lastError) return <StatusBadge tone="bad" word="failing" />
  if (connector.type === 'mcp') {
    if (connector.tools.some(({ state }) => state === 'quarantined')) {
      return <StatusBadge tone="waiting" word="changed tools" />
    }
    if (connector.tools.some(({ state }) => state === 'new')) {
      return <StatusBadge tone="waiting" word="new tools" />
    }
  }
  if (connector.tools.length === 0) return <StatusBadge tone="idle" word="no tools yet" />
  // Whoever has never answered is not known to be ready.
  if (connector.health.lastContactAt === null) return <StatusBadge tone="idle" word="not tested" />
  return <StatusBadge tone="good" word="ready" />
}
