import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Connector } from '../../contract.ts'
import { useTestConnector } from './use-test-outcome.ts'

type How<Values> = {
  /** Absent when a new one is created. */
  id: string | undefined
  toBody: (values: Values) => Record<string, unknown>
  onSaved: (connector: Connector) => void
  onError: (error: Error) => void
}

/** Saves, then tests. If the test fails, what was saved is kept. */
export function useSaveConnector<Values>(how: How<Values>) {
  const { id, toBody, onSaved, onError } = how
  const queries = useQueryClient()
  const test = useTestConnector()
  return useMutation({
    mutationFn: async (values: Values) => {
      const saved = id
        ? await call<Connector>('PATCH', `/connectors/${id}`, toBody(values))
        : await call<Connector>('POST', '/connectors', toBody(values))
      // The save succeeded: if a failed test counted as a failure, a second click would create a second connector.
      await test(saved.id).catch(() => undefined)
      return saved
    },
    onSuccess: (saved) => {
      queries.setQueryData([`/connectors/${saved.id}`], saved)
      // The test may have found tools.
      void queries.invalidateQueries({ queryKey: [`/connectors/${saved.id}`] })
      void queries.invalidateQueries({ queryKey: ['/connectors'] })
      onSaved(saved)
    },
    onError,
  })
}
