import type { Webhook } from '../../contract.ts'
import { useList, useOne } from '../../use-api.ts'
import { useMay } from '../accounts/use-me.ts'

export const useWebhooks = (live = false, enabled = true, q?: string) =>
  useList<Webhook>('/webhooks', { limit: '100', q }, live, enabled)

export const useWebhook = (id: string | null) => useOne<Webhook>(id === null ? null : `/webhooks/${id}`)

/** Webhooks by id, for lists that name them. Members may not read webhooks, so they get none. */
export function useWebhookNames(): (id: string | null) => string | undefined {
  const operator = useMay('operator')
  const list = useList<Webhook>('/webhooks', { limit: '100' }, false, operator)
  const names = new Map<string, string>(
    list.data?.pages.flatMap((page) => page.items).map((hook) => [hook.id, hook.name]),
  )
  return (id) => (id === null ? undefined : names.get(id))
}

export function useWebhookOptions(): { value: string; label: string }[] {
  const operator = useMay('operator')
  const list = useList<Webhook>('/webhooks', { limit: '100' }, false, operator)
  return (
    list.data?.pages.flatMap((page) => page.items).map(({ id, name }) => ({ value: id, label: name })) ?? []
  )
}
