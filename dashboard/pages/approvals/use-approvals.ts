import type { Approval } from '../../contract.ts'
import { itemsOf, pollMs, useList, useOne } from '../../hooks/use-api.ts'

/** What waits is asked for from the oldest on, what was decided from the newest on. */
export const useApprovals = (status: 'pending' | 'decided') =>
  useList<Approval>('/approvals', status === 'pending' ? { status, order: 'oldest' } : { status }, {
    live: true,
    ofNow: status === 'pending',
  })

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
