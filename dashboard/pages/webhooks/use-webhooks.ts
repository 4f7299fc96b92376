import type { ListedWebhook, Webhook } from '../../contract.ts'
import { useList, useOne } from '../../hooks/use-api.ts'
import { useChoices } from '../../hooks/use-choices.ts'
import { useHasRole } from '../accounts/use-me.ts'

type Asked = { q?: string | undefined; sort?: string | undefined; enabled?: boolean }

/** What is paused or fails comes first unless sorted. */
export const useWebhooks = ({ q, sort = 'trouble', enabled = true }: Asked = {}) =>
  useList<ListedWebhook>('/webhooks', { limit: '100', q, sort }, { live: true, enabled })

export const useWebhook = (id: string | null) => useOne<Webhook>(id === null ? null : `/webhooks/${id}`)

const labelOf = ({ name }: Webhook) => name

export function useWebhookChoices(chosen: string | undefined) {
  return useChoices<Webhook>('/webhooks', [chosen], { labelOf, enabled: useHasRole('operator') })
}
