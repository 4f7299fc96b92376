import type { Channel } from '../../contract.ts'
import { useList } from '../../use-api.ts'

export const useChannels = (q?: string) => useList<Channel>('/channels', { limit: '100', q })

/** Channels by id, as people write them. */
export function useChannelNames(): (id: string | null) => string | undefined {
  const list = useChannels()
  const names = new Map(
    list.data?.pages.flatMap((page) => page.items).map((channel) => [channel.id, `#${channel.name}`]),
  )
  return (id) => (id === null ? undefined : names.get(id))
}

export function useChannelOptions(): { value: string; label: string }[] {
  const list = useChannels()
  return (
    list.data?.pages
      .flatMap((page) => page.items)
      .map(({ id, name, platform, workspaceName }) => ({
        value: id,
        label: platform === 'built-in' ? `#${name}` : `#${name} (${workspaceName})`,
      })) ?? []
  )
}
