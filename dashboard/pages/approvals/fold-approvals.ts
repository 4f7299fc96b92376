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

/** Lines of the queue under the name of their tool, or the only one of a tool. */
export type ToolGroup = { tool: string; folds: Fold[]; isNamed: boolean }

/** In the given order; later lines of a tool with several join its first. */
export function groupByTool(folds: Fold[]): ToolGroup[] {
  const toolOf = ({ approvals }: Fold) => approvals[0]?.tool ?? ''
  const isSeveral = new Set(
    [...Map.groupBy(folds, toolOf)].flatMap(([tool, alike]) => (alike.length > 1 ? [tool] : [])),
  )
  return [...Map.groupBy(folds, (fold) => (isSeveral.has(toolOf(fold)) ? toolOf(fold) : fold))].map(
    ([key, alike]) => ({
      tool: typeof key === 'string' ? key : toolOf(key),
      folds: alike,
      isNamed: typeof key === 'string',
    }),
  )
}
