import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api.ts'
import type { Approval } from '../../../contract.ts'
import { notifyProblem } from '../../../ui/feedback/notify.ts'
import { writeDraft } from '../../../ui/forms/drafts.ts'
import { fieldError } from '../../../ui/forms/field-errors.ts'

export type Decision = { verb: 'approve' | 'deny'; reason: string }

type How<Answer> = {
  approvalId: string
  send: (decision: Decision) => Promise<Answer>
  onDecided: (answer: Answer, decision: Decision) => void
}

/** The name of the draft of a reason. */
export const reasonOf = (approvalId: string) => `reason:${approvalId}`

/** About the request that is shown, and no other. */
export const sendDecision = ({ id, digest }: Approval, { verb, reason }: Decision) =>
  call<Approval>('POST', `/approvals/${id}/${verb}`, reason ? { reason } : {}, { ifMatch: digest })

/** Only one decision counts. If somebody else was faster, the server says who, and the card shows it. */
export function useDecide<Answer>({ approvalId, send, onDecided }: How<Answer>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: (answer, decision) => {
      writeDraft(reasonOf(approvalId), null)
      onDecided(answer, decision)
    },
    // An error about the reason is shown at its field; any other has no field.
    onError: (error) => {
      if (!fieldError(error, 'reason')) notifyProblem(error)
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['/approvals'] })
      void queries.invalidateQueries({ queryKey: [`/approvals/${approvalId}`] })
    },
  })
}
