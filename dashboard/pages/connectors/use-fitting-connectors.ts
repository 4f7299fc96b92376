import type { ImportPreview } from '../../../src/connectors/contract.ts'
import type { HttpConnector } from '../../contract.ts'
import { useList } from '../../use-api.ts'
import type { Connector } from './connector-kinds.ts'
import { pathUnder } from './path-under.ts'

/** Whoever imports another call of the same API means the connector that has its address, and its credentials, already. */
export function useFittingConnectors({ connector, tools }: ImportPreview): HttpConnector[] {
  const connectors = useList<Connector>('/connectors', { limit: '100' })
  return (connectors.data?.pages ?? [])
    .flatMap(({ items }) => items)
    .filter((one) => one.type === 'http')
    .filter(
      ({ baseUrl }) =>
        tools.length > 0 && tools.every(({ path }) => pathUnder(baseUrl, connector.baseUrl + path) !== null),
    )
}
