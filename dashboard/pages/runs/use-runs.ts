import type { Run, RunRow } from '../../contract.ts'
import { pollMs, useList, useOne } from '../../hooks/use-api.ts'

type Name =
  | 'status'
  | 'webhookId'
  | 'channelId'
  | 'trigger'
  | 'toolId'
  | 'model'
  | 'minCost'
  | 'thumb'
  | 'unresolved'
  | 'q'
  | 'from'
  | 'to'
  | 'sort'
type Filters = Partial<Record<Name | 'limit', string | undefined>>

export const useRuns = (filters: Filters = {}) => useList<RunRow>('/runs', filters, { live: true })

/** Polled until nothing more will change. */
export const useRun = (id: string | null) =>
  useOne<Run>(id === null ? null : `/runs/${id}`, (run) => (run && isSettled(run) ? false : pollMs))

/** Ended, and its reply is no longer being posted either. */
const isSettled = (run: Run) => hasEnded(run) && run.reply?.state !== 'pending'

export function hasEnded(run: Pick<Run, 'status'>): boolean {
  return run.status === 'succeeded' || run.status === 'failed' || run.status === 'cancelled'
}
