import type { ConnectorId } from './ids.ts'

/** `one`: once a run about an event has read from one connector, a call of another one asks an admin. */
export const readsAcrossValues = ['all', 'one'] as const
export type ReadsAcross = (typeof readsAcrossValues)[number]

/** What the runs of a webhook may use. */
export type Scope = {
  ceiling: 'read' | 'write' | 'destructive'
  /** The webhook's own list, else its channel's; null means every connector. */
  connectorIds: ConnectorId[] | null
  /** The stricter one of the webhook's and its channel's. */
  readsAcross: ReadsAcross
}
