/** The fields of who approves, as a form has them. Empty ones are not sent. */
export type ApproverValues = {
  approvers: string[]
  approvalsNeeded: number | ''
  requesterMayApprove: '' | 'yes' | 'no'
  escalate: { afterMinutes: number | ''; to: string | null }[]
}

export const noApprovers: ApproverValues = {
  approvers: [],
  approvalsNeeded: '',
  requesterMayApprove: '',
  escalate: [],
}

type Given = {
  approvers: string[] | null
  approvalsNeeded: number | null
  requesterMayApprove: boolean | null
  escalate: { afterMinutes: number; to: string }[] | null
}

export function approverValuesOf({
  approvers,
  approvalsNeeded,
  requesterMayApprove,
  escalate,
}: Given): ApproverValues {
  return {
    approvers: approvers ?? [],
    approvalsNeeded: approvalsNeeded ?? '',
    requesterMayApprove: requesterMayApprove === null ? '' : requesterMayApprove ? 'yes' : 'no',
    escalate: escalate ?? [],
  }
}

/** What is sent; null where nothing was chosen. */
export function toApprovers({
  approvers,
  approvalsNeeded,
  requesterMayApprove,
  escalate,
}: ApproverValues): Given {
  const steps = escalate.flatMap(({ afterMinutes, to }) =>
    afterMinutes !== '' && to !== null ? [{ afterMinutes, to }] : [],
  )
  return {
    approvers: approvers.length > 0 ? approvers : null,
    approvalsNeeded: approvalsNeeded === '' ? null : approvalsNeeded,
    requesterMayApprove: requesterMayApprove === '' ? null : requesterMayApprove === 'yes',
    escalate: steps.length > 0 ? steps : null,
  }
}
