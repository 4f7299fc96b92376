import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Connector } from './connector-kinds.ts'

export function ConnectorState({ connector }: { connector: Connector }) {
  if (connector.tools.length === 0) return <StatusBadge tone="idle" word="no tools yet" />
  return <StatusBadge tone="good" word="ready" />
}
