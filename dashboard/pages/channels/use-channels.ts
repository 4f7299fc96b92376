import type { Channel } from '../../contract.ts'
import { useList } from '../../use-api.ts'
import { useChoices, useNames } from '../../use-choices.ts'

export const useChannels = (q?: string) => useList<Channel>('/channels', { limit: '100', q })

/** Channels by id, as people write them. */
export const useChannelNames = (ids: readonly (string | null | undefined)[]) =>
  useNames<Channel>('/channels', ids, { labelOf: ({ name }) => `#${name}` })

export const useChannelChoices = (chosen: string | null, filters: Record<string, string> = {}) =>
  useChoices<Channel>('/channels', [chosen], {
    filters,
    labelOf: ({ name, platform, workspaceName }) =>
      platform === 'built-in' || filters.workspaceId ? `#${name}` : `#${name} (${workspaceName})`,
  })
