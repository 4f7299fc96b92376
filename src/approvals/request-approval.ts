import type { JobSender } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import { type ApprovalId, newId, type PolicyId } from '../shared/ids.ts'
import type { Question } from './approval.ts'
import { insertApproval } from './store.ts'

/** Runs in the transaction that sets the tool call to waiting, so that neither exists without the other. */
export async function requestApproval({ db, queue }: JobSender, question: Question): Promise<ApprovalId> {
  const id = newId('approval')
  await insertApproval(db, id, question)
  await queue.send(db, 'approval.show', { approvalId: id }, { key: id })
  return id
}

/** A yes that was given in advance. Nobody is asked, so there is no card. */
export async function recordAutomaticYes(
  db: Db,
  question: Question,
  { id: policyId, name }: { id: PolicyId; name: string },
): Promise<ApprovalId> {
  const id = newId('approval')
  await insertApproval(db, id, question, { kind: 'policy', id: policyId, name })
  return id
}
