import type { HttpConnector, ImportPreview } from '../../../contract.ts'
import { itemsOf } from '../../../hooks/use-api.ts'
import { useConnectors } from '../use-connectors.ts'
import { pathUnder } from './path-under.ts'

/** Connectors with the same address: another call of the same API belongs to the one that has its credentials already. */
export function useConnectorsWithSameAddress({ connector, tools }: ImportPreview): HttpConnector[] {
  return itemsOf(useConnectors())
    .filter((one) => one.type === 'http')
    .filter(
      ({ baseUrl }) =>
        tools.length > 0 && tools.every(({ path }) => pathUnder(baseUrl, connector.baseUrl + path) !== null),
    )
}
