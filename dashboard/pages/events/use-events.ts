import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { download, withQuery } from '../../api.ts'
import type { LedgerEvent, LedgerPage } from '../../contract.ts'
import { pollMs, useList, useOne } from '../../hooks/use-api.ts'
import { waitingForApproval } from './event-status.tsx'

type Filters = Partial<Record<'status' | 'webhookId' | 'type' | 'text' | 'from' | 'to', string | undefined>>

/** What is called processing is at work, although what waits is dispatched, too. */
export function useEvents({ status, ...filters }: Filters = {}, enabled = true) {
  const waits = status === waitingForApproval
  const state =
    waits || status === 'dispatched' ? { status: 'dispatched', waitsForApproval: String(waits) } : { status }
  return useList<LedgerEvent, LedgerPage>('/events', { ...state, ...filters }, { live: true, enabled })
}

/** What the newest events are. */
export const useEventTypes = (webhookId: string | undefined) =>
  useOne<{ items: string[] }>(withQuery('/events/types', { webhookId }))

export const useEvent = (id: string) => useOne<LedgerEvent>(`/events/${id}`, pollMs)

/** The exact bytes. `follows`: while those of another event are loading, the former ones are shown. */
export const useEventBody = (id: string | null, { follows = false } = {}) =>
  useQuery({
    queryKey: [`/events/${id}/body`],
    queryFn: () => download(`/events/${id}/body`),
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
    ...(follows ? { placeholderData: keepPreviousData } : {}),
  })
