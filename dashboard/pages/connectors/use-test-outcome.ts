import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { TestOutcome } from '../../contract.ts'
import { useTabState } from '../../hooks/use-tab-state.ts'

const keyOf = (id: string) => ['test-outcome', id]

/** The result of a connector's last test, until it or the tab is closed. */
export function useTestOutcome(id: string): [outcome: TestOutcome | null, close: () => void] {
  const queries = useQueryClient()
  return [useTabState<TestOutcome | null>(keyOf(id), null), () => void queries.setQueryData(keyOf(id), null)]
}

export function useTestConnector(): (id: string) => Promise<void> {
  const queries = useQueryClient()
  return async (id) => {
    queries.setQueryData(keyOf(id), await call<TestOutcome>('POST', `/connectors/${id}/test`, {}))
  }
}
