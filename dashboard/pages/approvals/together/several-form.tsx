import { Alert } from '@mantine/core'
import { toolLabel } from '../../../../src/shared/tool-label.ts'
import type { Approval } from '../../../contract.ts'
import { useBulk } from '../../../hooks/use-bulk.ts'
import { askToConfirm } from '../../../ui/feedback/ask-to-confirm.ts'
import { writeDraft } from '../../../ui/forms/drafts.ts'
import { approvalSummary, waitsFor } from '../approval-text.ts'
import { DecisionForm } from '../decision/decision-form.tsx'
import { type Decision, reasonOf, sendDecision } from '../decision/use-decide.ts'
import { requestKey } from '../fold-approvals.ts'

type Decided = Pick<Decision, 'reason'> & { approval: Approval }

/** Decides about several calls; one that is refused does not stop the others. */
export function useDecideSeveral() {
  const changes = ['/approvals']
  const approve = useBulk<Decided>(
    ({ approval, reason }) => sendDecision(approval, { verb: 'approve', reason }),
    { done: 'Approved', what: 'call', changes },
  )
  const deny = useBulk<Decided>(({ approval, reason }) => sendDecision(approval, { verb: 'deny', reason }), {
    done: 'Denied',
    what: 'call',
    changes,
  })
  return {
    isPending: approve.isPending || deny.isPending,
    variables: { verb: approve.isPending ? ('approve' as const) : ('deny' as const), reason: '' },
    error: null,
    decide: (approvals: Approval[], { verb, reason }: Decision) =>
      (verb === 'approve' ? approve : deny).mutateAsync(approvals.map((approval) => ({ approval, reason }))),
  }
}

type Props = {
  approvals: Approval[]
  decision: ReturnType<typeof useDecideSeveral>
  onDecided: () => void
  size?: 'xs' | 'sm'
}

/** The buttons to approve or deny several calls of one tool. */
export function SeveralForm({ approvals, decision, onDecided, size = 'sm' }: Props) {
  const [first] = approvals
  if (!first) return null
  if (approvals.some(({ kind }) => kind === 'confirm'))
    return (
      <Alert variant="default">
        Destructive calls are confirmed one by one in the channel. Clear them from the selection.
      </Alert>
    )
  if (approvals.some(({ tool }) => tool !== first.tool))
    return <Alert variant="default">Select calls of one tool to decide them together.</Alert>
  const identical = approvals.every((approval) => requestKey(approval) === requestKey(first))
  const draft = `several:${first.tool}`
  const decide = async (verdict: Decision) => {
    await decision.decide(approvals, verdict)
    writeDraft(reasonOf(draft), null)
    onDecided()
  }
  const mutate = (verdict: Decision) => {
    if (approvals.length === 1 || verdict.verb === 'deny') return void decide(verdict)
    askToConfirm({
      title: `Approve ${approvals.length} calls?`,
      text: identical
        ? `This sends the same request ${approvals.length} times: ${approvalSummary(first)}`
        : `This sends ${approvals.length} requests of ${toolLabel(first.tool)}.`,
      action: `Approve ${approvals.length}`,
      onConfirm: () => void decide(verdict),
    })
  }
  return (
    <DecisionForm
      approvalId={draft}
      waitsFor={approvals.map(waitsFor).find((who) => who !== null) ?? null}
      count={approvals.length}
      keys
      size={size}
      decide={{ ...decision, mutate }}
    />
  )
}
