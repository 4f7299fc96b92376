import type { ConnectorHealth, ToolHealth } from '../../../contract.ts'
import { useOne } from '../../../hooks/use-api.ts'

const refreshMs = 60_000

export type Health = ConnectorHealth['items'][number] | ToolHealth['items'][number]

/** What became of the calls of a connector's tools in the last 48 hours, by tool. */
export function useToolHealth(connectorId: string) {
  const { data } = useOne<ToolHealth>(`/connectors/${connectorId}/tool-health`, refreshMs)
  return { hosts: data?.hosts ?? [], healthOf: new Map(data?.items.map((item) => [item.toolId, item])) }
}

/** The same of all connectors. */
export function useConnectorHealth(): ReadonlyMap<string, Health> {
  const { data } = useOne<ConnectorHealth>('/connector-health', refreshMs)
  return new Map(data?.items.map((item) => [item.connectorId, item]))
}
