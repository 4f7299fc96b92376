import type { HttpConnector, ImportPreview } from '../../contract.ts'
import { itemsOf } from '../../use-api.ts'
import { pathUnder } from './path-under.ts'
import { useConnectors } from './use-connectors.ts'

/** Connectors with the same address: another call of the same API belongs to the one that has its credentials already. */
export function useConnectorsWithSameAddress({ connector, tools }: ImportPreview): HttpConnector[] {
  return itemsOf(useConnectors())
    .filter((one) => one.type === 'http')
    .filter(
      ({ baseUrl }) =>
        tools.length > 0 && tools.every(({ path }) => pathUnder(baseUrl, connector.baseUrl + path) !== null),
    )
}
