import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Approval } from '../../contract.ts'
import { fieldError } from '../../ui/field-errors.ts'
import { say, sayProblem } from '../../ui/say.ts'

type Decision = { id: string; verb: 'approve' | 'deny'; reason?: string }

/** One decision counts. When somebody was faster, the server says who, and the card shows it. */
export function useDecide() {
  const queries = useQueryClient()
  const decide = useMutation({
    mutationFn: ({ id, verb, reason }: Decision) =>
      call<Approval>('POST', `/approvals/${id}/${verb}`, reason ? { reason } : {}),
    onSuccess: (_, { verb }) => say(verb === 'approve' ? 'Approved. The request is sent.' : 'Denied.'),
    onError: (error) => {
      if (!reasonError(error)) sayProblem(error)
    },
    onSettled: (_answer, _error, { id }) => {
      void queries.invalidateQueries({ queryKey: ['/approvals'] })
      void queries.invalidateQueries({ queryKey: [`/approvals/${id}`] })
    },
  })
  return { ...decide, reasonError: reasonError(decide.error) }
}

/** What is wrong with the reason stands at it; everything else has no field. */
export function reasonError(error: unknown): string | undefined {
  return fieldError(error, 'reason')
}
