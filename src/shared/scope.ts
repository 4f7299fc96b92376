import type { ConnectorId } from './ids.ts'

/** What the runs of a webhook may use. */
export type Scope = {
  ceiling: 'read' | 'write' | 'destructive'
  /** The webhook's own list, else its channel's; null means every connector. */
  connectorIds: ConnectorId[] | null
}
