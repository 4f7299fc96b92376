import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Connector } from '../../contract.ts'
import { useTestConnector } from './use-test-outcome.ts'

type How<C, Values> = {
  /** Absent: a new one is made. */
  id: string | undefined
  toBody: (values: Values) => Record<string, unknown>
  onSaved: (connector: C) => void
  onError: (error: Error) => void
}

/** Saves, then tests. A test that fails keeps what was saved. */
export function useSaveConnector<C extends Connector, Values>(how: How<C, Values>) {
  const { id, toBody, onSaved, onError } = how
  const queries = useQueryClient()
  const test = useTestConnector()
  return useMutation({
    mutationFn: async (values: Values) => {
      const saved = id
        ? await call<C>('PATCH', `/connectors/${id}`, toBody(values))
        : await call<C>('POST', '/connectors', toBody(values))
      // Saved is saved: were this to count as a failure, a second press would make a second one.
      await test(saved.id).catch(() => undefined)
      return saved
    },
    onSuccess: (saved) => {
      queries.setQueryData([`/connectors/${saved.id}`], saved)
      // A test may have found tools.
      void queries.invalidateQueries({ queryKey: [`/connectors/${saved.id}`] })
      void queries.invalidateQueries({ queryKey: ['/connectors'] })
      onSaved(saved)
    },
    onError,
  })
}
