import { z } from 'zod'
import { wholeNumber } from './fields.ts'
import type { GroupId } from './ids.ts'

const groupId = z.templateLiteral(['grp_', z.string().max(60)], 'There is no such group.')

/** The earliest first, so that the first that is not due ends the list. */
const escalation = z
  .array(z.strictObject({ afterMinutes: wholeNumber(1, 43_200, 'minutes'), to: groupId }))
  .max(10)
  .overwrite((steps) => steps.toSorted((one, other) => one.afterMinutes - other.afterMinutes))

/** Who approves the calls of a tool, or those that a policy covers. */
export const approverFields = {
  /** Groups of which any member may approve; empty: admins. */
  approvers: z.array(groupId).max(20),
  /** So many different people. */
  approvalsNeeded: wholeNumber(1, 5, 'approvals'),
  /** Whether somebody may approve their own request. Null: unless the call is destructive and enough others can. */
  requesterMayApprove: z.boolean().nullable(),
  /** After so many minutes without a decision a group is mentioned, and may decide too. */
  escalate: escalation,
}

export type Approvers = {
  approvers: GroupId[]
  approvalsNeeded: number
  requesterMayApprove: boolean | null
  escalate: { afterMinutes: number; to: GroupId }[]
}

/** An admin approves, who may have asked for the call. */
export const adminsApprove: Approvers = {
  approvers: [],
  approvalsNeeded: 1,
  requesterMayApprove: null,
  escalate: [],
}
