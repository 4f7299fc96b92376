import { withQuery } from '../../api.ts'
import type { Stats } from '../../contract.ts'
import { pollMs, useOne } from '../../hooks/use-api.ts'

/** Counted by the server over the whole span, and reloaded while the page is open. */
export const useStats = (hours: number, webhookId?: string) =>
  useOne<Stats>(withQuery('/stats', { hours, webhookId }), pollMs)
