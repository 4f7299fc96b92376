import type { Webhook } from '../../contract.ts'
import { useList, useOne } from '../../use-api.ts'
import { useChoices, useNames } from '../../use-choices.ts'
import { useMay } from '../accounts/use-me.ts'

export const useWebhooks = (q?: string, enabled = true) =>
  useList<Webhook>('/webhooks', { limit: '100', q }, { live: true, enabled })

export const useWebhook = (id: string | null) => useOne<Webhook>(id === null ? null : `/webhooks/${id}`)

const labelOf = ({ name }: Webhook) => name

/** Members may not read webhooks, so they get no names. */
export function useWebhookNames(ids: readonly (string | null | undefined)[]) {
  return useNames<Webhook>('/webhooks', ids, { labelOf, enabled: useMay('operator') })
}

export function useWebhookChoices(chosen: string | undefined) {
  return useChoices<Webhook>('/webhooks', [chosen], { labelOf, enabled: useMay('operator') })
}
