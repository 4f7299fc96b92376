import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { download, withQuery } from '../../api.ts'
import type { LedgerEvent, LedgerPage } from '../../contract.ts'
import { pollMs, useList, useOne } from '../../hooks/use-api.ts'

type Filters = Partial<Record<'status' | 'webhookId' | 'type' | 'text' | 'from' | 'to', string | undefined>>

export const useEvents = (filters: Filters = {}, enabled = true) =>
  useList<LedgerEvent, LedgerPage>('/events', filters, { live: true, enabled })

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
