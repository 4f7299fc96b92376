import type { Webhook } from '../../contract.ts'
import { useList, useOne } from '../../hooks/use-api.ts'
import { useChoices } from '../../hooks/use-choices.ts'
import { useHasRole } from '../accounts/use-me.ts'

export const useWebhooks = (q?: string, enabled = true) =>
  useList<Webhook>('/webhooks', { limit: '100', q }, { live: true, enabled })

export const useWebhook = (id: string | null) => useOne<Webhook>(id === null ? null : `/webhooks/${id}`)

const labelOf = ({ name }: Webhook) => name

export function useWebhookChoices(chosen: string | undefined) {
  return useChoices<Webhook>('/webhooks', [chosen], { labelOf, enabled: useHasRole('operator') })
}
