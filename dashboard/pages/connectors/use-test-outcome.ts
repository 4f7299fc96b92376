import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { TestOutcome } from '../../contract.ts'
import { useKnown } from '../../use-known.ts'

const keyOf = (id: string) => ['test-outcome', id]

/** What the last test of a connector found, for as long as the tab is open. */
export function useTestOutcome(id: string): TestOutcome | null {
  return useKnown<TestOutcome | null>(keyOf(id), null)
}

export function useTestConnector(): (id: string) => Promise<void> {
  const queries = useQueryClient()
  return async (id) => {
    queries.setQueryData(keyOf(id), await call<TestOutcome>('POST', `/connectors/${id}/test`, {}))
  }
}
