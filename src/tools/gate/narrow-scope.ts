import { type Capability, capabilities } from '../../connectors/contract.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import type { ReadsAcross } from '../../shared/scope.ts'

/** What a run may use. Null means everything. */
export type RunScope = {
  ceiling: Capability | null
  connectorIds: ConnectorId[] | null
  readsAcross: ReadsAcross
}

/** What was allowed when the run began and still is: a run never gains rights, and loses those that were taken away. */
export function narrowScope(begun: RunScope, now: RunScope): RunScope {
  const still = (id: ConnectorId) => now.connectorIds === null || now.connectorIds.includes(id)
  return {
    // The list goes from the lowest to the highest.
    ceiling: capabilities.find((capability) => [begun.ceiling, now.ceiling].includes(capability)) ?? null,
    connectorIds: begun.connectorIds?.filter(still) ?? now.connectorIds,
    readsAcross: begun.readsAcross === 'one' ? 'one' : now.readsAcross,
  }
}
