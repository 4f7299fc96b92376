import { withQuery } from '../../api.ts'
import type { Stats } from '../../contract.ts'
import { sometimesMs, useOne } from '../../use-api.ts'

/** Counted by the server over everything in the span, and read again while somebody looks. */
export const useStats = (hours: number, webhookId?: string) =>
  useOne<Stats>(withQuery('/stats', { hours, webhookId }), sometimesMs)
