import type { Approval } from '../../contract.ts'
import { itemsOf, sometimesMs, useList, useOne } from '../../use-api.ts'

export const useApprovals = (status: string | undefined) =>
  useList<Approval>('/approvals', status ? { status } : {}, { live: true })

export const useApproval = (id: string | null) =>
  useOne<Approval>(id === null ? null : `/approvals/${id}`, (approval) =>
    approval?.status === 'pending' ? sometimesMs : false,
  )

/** How many questions wait for an answer; the number in the sidebar. */
export function usePendingCount(): number {
  return itemsOf(useApprovals('pending')).length
}
