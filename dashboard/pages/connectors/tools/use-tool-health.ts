import type { ToolHealth } from '../../../contract.ts'
import { useOne } from '../../../hooks/use-api.ts'

export type Health = ToolHealth['items'][number]

/** What became of the calls of a connector's tools in the last 48 hours, by tool. */
export function useToolHealth(connectorId: string) {
  const { data } = useOne<ToolHealth>(`/connectors/${connectorId}/tool-health`, 60_000)
  return { hosts: data?.hosts ?? [], healthOf: new Map(data?.items.map((item) => [item.toolId, item])) }
}
