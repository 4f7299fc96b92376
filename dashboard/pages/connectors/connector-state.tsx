import type { Connector } from '../../contract.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'

export function ConnectorState({ connector }: { connector: Connector }) {
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
  return <StatusBadge tone="good" word="ready" />
}
