import type { Connector } from '../../contract.ts'
import { useList, useOne } from '../../hooks/use-api.ts'
import { useChoices } from '../../hooks/use-choices.ts'

export const useConnectors = (q?: string) =>
  useList<Connector>('/connectors', { limit: '100', q }, { live: true })

/** Of all their tools, only those that need a review. */
export const useConnectorStates = (enabled = true) =>
  useList<Connector>('/connectors', { limit: '100', tools: 'changed' }, { live: true, enabled })

export const useConnector = (id: string) => useOne<Connector>(`/connectors/${id}`)

export const useConnectorChoices = (chosen: readonly string[]) =>
  useChoices<Connector>('/connectors', chosen, { labelOf: ({ name }) => name })
