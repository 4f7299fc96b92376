import type { RunRow } from '../../contract.ts'
import { useList } from '../../use-api.ts'

type Recent = { perHour: number[]; total: number; ended: number; succeeded: number }

/** What the last hundred runs say about each webhook: enough for a glance, and one request for the whole list. */
export function useRecentRuns(): (webhookId: string) => Recent {
  const runs = useList<RunRow>('/runs', { limit: '100' }, true)
  const items = runs.data?.pages[0]?.items ?? []
  const now = Date.now()
  return (webhookId) => {
    const recent: Recent = { perHour: Array.from({ length: 24 }, () => 0), total: 0, ended: 0, succeeded: 0 }
    for (const run of items) {
      if (run.webhookId !== webhookId) continue
      const hoursAgo = Math.floor((now - new Date(run.createdAt).getTime()) / 3_600_000)
      if (hoursAgo >= 24) continue
      const slot = 23 - Math.max(0, hoursAgo)
      recent.perHour[slot] = (recent.perHour[slot] ?? 0) + 1
      recent.total += 1
      if (run.status === 'succeeded' || run.status === 'failed') recent.ended += 1
      if (run.status === 'succeeded') recent.succeeded += 1
    }
    return recent
  }
}
