import { useEffect, useRef } from 'react'
import { itemsOf } from '../hooks/use-api.ts'
import { useHasRole } from '../pages/accounts/use-me.ts'
import { approvalHeadline } from '../pages/approvals/approval-text.ts'
import { useApprovals } from '../pages/approvals/use-approvals.ts'
import { announce } from '../ui/feedback/announce.tsx'

/** Announces new approvals to admins, on whatever page they are. */
export function useAnnouncedApprovals(): void {
  const admin = useHasRole('admin')
  const pending = useApprovals('pending')
  const newest = itemsOf(pending).at(-1)
  const known = useRef<string | null>(null)
  useEffect(() => {
    if (!pending.isSuccess) return
    const before = known.current
    known.current = newest?.id ?? ''
    // Ids sort by time. After a decision, the newest that is left is an older one.
    if (admin && newest && before !== null && newest.id > before) announce(approvalHeadline(newest))
  }, [admin, newest, pending.isSuccess])
}
