import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Webhook } from '../../contract.ts'
import { useTabState } from '../../hooks/use-tab-state.ts'
import { notifyProblem } from '../../ui/feedback/notify.ts'

const hintLength = 4
const keyOf = (id: string) => ['endpoint-url', id]

/** The complete URL is sent only on create and rotate. It is kept in memory for as long as the page is open. */
export function rememberUrl(queries: QueryClient, webhook: Pick<Webhook, 'id' | 'endpointUrl'>): void {
  queries.setQueryData(keyOf(webhook.id), webhook.endpointUrl)
}

export function useEndpointUrl(webhook: Webhook) {
  const queries = useQueryClient()
  const known = useTabState<string | null>(keyOf(webhook.id), null)
  // The masked URL ends like the complete one. Somebody else may have rotated it since.
  const fullUrl = known?.slice(-hintLength) === webhook.endpointUrl.slice(-hintLength) ? known : null
  const reveal = useMutation({
    mutationFn: () => call<{ endpointUrl: string }>('POST', `/webhooks/${webhook.id}/reveal`),
    onSuccess: ({ endpointUrl }) => rememberUrl(queries, { id: webhook.id, endpointUrl }),
    onError: notifyProblem,
  })
  return { fullUrl, shown: fullUrl ?? webhook.endpointUrl, reveal }
}
