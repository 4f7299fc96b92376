import type { InputChange } from '../approvals/approval.ts'
import { findShownApproval } from '../approvals/store.ts'
import type { Db } from '../platform/db/database.ts'
import type { ApprovalId } from '../shared/ids.ts'

/** Says what an approver made of a call's input. What it was is in the call itself. JSON has no line breaks of its own. */
export function describeEdit({ by, changes }: { by: string; changes: readonly InputChange[] }): string {
  const changed = changes.map(({ at, to }) =>
    to === undefined
      ? `${JSON.stringify(at)} was left out`
      : `${JSON.stringify(at)} became ${JSON.stringify(to)}`,
  )
  return `${by.replaceAll(/\s+/g, ' ')} edited the input before it was sent: ${changed.join(', ')}.`
}

/** For a caller who knows only its own input: null if that is what was sent. */
export async function noteEdit(db: Db, approvalId: ApprovalId): Promise<string | null> {
  const approval = await findShownApproval(db, approvalId)
  if (approval?.status !== 'approved' || !approval.editedBy || !approval.changes) return null
  return describeEdit({ by: approval.editedBy.name, changes: approval.changes })
}
