import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import type { Approvers } from '../shared/approver-fields.ts'
import { publishChange } from '../shared/changes.ts'
import type { ApprovalId } from '../shared/ids.ts'
import type { Approval, CoveringPolicy, Person, RenderedRequest } from './approval.ts'
import { findApproval } from './store.ts'

/** Two clicks, one decision: the second finds nothing pending. */
export async function moveFromPending(
  db: Db,
  id: ApprovalId,
  to: 'approved' | 'denied',
  decidedBy: Person,
  reason: string | null,
  seen: Seen,
): Promise<Approval | null> {
  const { rows } = await sql`
    update approvals set status = ${to}, decided_by = ${JSON.stringify(decidedBy)}, decided_at = now(), reason = ${reason}
    where id = ${id} and status = 'pending' and expires_at > now() and ${isAsSeen(seen)}
    returning id`.execute(db)
  if (rows.length === 0) return null
  await publishChange(db, 'approvals', id)
  return await findApproval(db, id)
}

/** Clicks on the same approval come one after the other. False if there is nothing to decide, or the request was edited since. */
export async function lockPending(tx: Db, id: ApprovalId, seen: Seen): Promise<boolean> {
  const { rows } = await sql`
    select from approvals where id = ${id} and status = 'pending' and expires_at > now() and ${isAsSeen(seen)}
    for update`.execute(tx)
  return rows.length > 0
}

/** One of the approvals that a call needs. */
export type Given = { personId: string; by: Person }

export async function listGiven(tx: Db, id: ApprovalId, edition: number): Promise<Given[]> {
  const { rows } = await sql<Given>`
    select person_id, given_by as by from approvals_given where approval_id = ${id} and edition = ${edition}
    order by given_at`.execute(tx)
  return rows
}

export async function insertGiven(tx: Db, id: ApprovalId, edition: number, given: Given): Promise<void> {
  await sql`
    insert into approvals_given (approval_id, edition, person_id, given_by)
    values (${id}, ${edition}, ${given.personId}, ${JSON.stringify(given.by)})`.execute(tx)
  await publishChange(tx, 'approvals', id)
}

export async function deleteGiven(
  tx: Db,
  id: ApprovalId,
  edition: number,
  personIds: string[],
): Promise<void> {
  await sql`
    delete from approvals_given where approval_id = ${id} and edition = ${edition} and person_id = any(${personIds})`.execute(
    tx,
  )
}

/** What of the request the person who decides has seen. */
export type Seen = { digest: string; edition: number }

function isAsSeen({ digest, edition }: Seen): RawBuilder<unknown> {
  return sql`digest = ${digest} and edits = ${edition}`
}

/** False if somebody decided meanwhile. */
export async function withdrawPending(
  tx: Db,
  id: ApprovalId,
  by: Person,
  reason: string | null,
): Promise<boolean> {
  const { rows } = await sql`
    update approvals set status = 'void', decided_by = ${JSON.stringify(by)}, decided_at = now(), reason = ${reason}
    where id = ${id} and status = 'pending' returning id`.execute(tx)
  if (rows.length > 0) await publishChange(tx, 'approvals', id)
  return rows.length > 0
}

type Edit = {
  from: Pick<Approval, 'id' | 'digest' | 'edits' | 'escalate'>
  input: unknown
  request: RenderedRequest
  digest: string
  kind: Approval['kind']
  policy: CoveringPolicy | null
  approval: Approvers
  by: Person
}

/** Another question in the place of the one that was asked. False if somebody decided or edited meanwhile. */
export async function replaceRequest(tx: Db, edit: Edit): Promise<boolean> {
  const { from, input, request, digest, kind, policy, approval, by } = edit
  // What was escalated stays so, unless the edited request is escalated in another way.
  const escalated = isDeepStrictEqual(from.escalate, approval.escalate) ? sql`escalated` : 0
  const { rows } = await sql`
    update approvals set edits = edits + 1, edited_input = ${JSON.stringify(input)}, edited_by = ${JSON.stringify(by)},
      edited_at = now(), request = ${JSON.stringify(request)}, digest = ${digest}, kind = ${kind},
      policy_id = ${policy?.id ?? null}, policy_says = ${policy?.says ?? null}, policy_amount = ${policy?.amount ?? null},
      policy_shadow = ${policy?.isShadow ?? false}, approvers = ${approval.approvers},
      approvals_needed = ${approval.approvalsNeeded}, requester_may_approve = ${approval.requesterMayApprove},
      escalate = ${JSON.stringify(approval.escalate)}, escalated = ${escalated}
    where id = ${from.id} and status = 'pending' and expires_at > now() and ${isAsSeen({ digest: from.digest, edition: from.edits })}
    returning id`.execute(tx)
  if (rows.length > 0) await publishChange(tx, 'approvals', from.id)
  return rows.length > 0
}
