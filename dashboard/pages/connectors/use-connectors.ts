import { useList, useOne } from '../../use-api.ts'
import type { Connector } from './connector-kinds.ts'

export const useConnectors = (live = false, q?: string) =>
  useList<Connector>('/connectors', { limit: '100', q }, live)

export const useConnector = (id: string) => useOne<Connector>(`/connectors/${id}`)

export function useConnectorOptions(): { value: string; label: string }[] {
  const list = useConnectors()
  return (
    list.data?.pages.flatMap((page) => page.items).map(({ id, name }) => ({ value: id, label: name })) ?? []
  )
}
