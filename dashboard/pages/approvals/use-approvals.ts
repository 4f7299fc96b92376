import type { Approval } from '../../contract.ts'
import { itemsOf, pollMs, useList, useOne } from '../../use-api.ts'

export const useApprovals = (status: string | undefined) =>
  useList<Approval>('/approvals', status ? { status } : {}, { live: true, ofNow: status === 'pending' })

export const useApproval = (id: string | null) =>
  useOne<Approval>(id === null ? null : `/approvals/${id}`, (approval) =>
    approval?.status === 'pending' ? pollMs : false,
  )

/** The number of pending approvals for the sidebar: `3`, or `50+` if there is more than one page. Null if there are none. */
export function usePendingCount(): string | null {
  const pending = useApprovals('pending')
  const { length } = itemsOf(pending)
  return length === 0 ? null : `${length}${pending.hasNextPage ? '+' : ''}`
}
