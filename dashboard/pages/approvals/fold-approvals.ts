import type { Approval } from '../../contract.ts'

/** Calls that would send the same request, as one line of the queue. */
export type Fold = { key: string; approvals: Approval[]; pending: Approval[] }

/** In the given order; a later call of the same request joins the first. */
export function foldApprovals(approvals: Approval[]): Fold[] {
  return [...Map.groupBy(approvals, requestKey)].map(([key, alike]) => ({
    key,
    approvals: alike,
    pending: alike.filter(({ status }) => status === 'pending'),
  }))
}

export function requestKey({ tool, request: { method, url, body } }: Approval): string {
  return [tool, method, url, body].join('\n')
}
