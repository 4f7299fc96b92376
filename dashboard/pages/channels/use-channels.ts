import type { Channel } from '../../contract.ts'
import { useList } from '../../hooks/use-api.ts'
import { useChoices } from '../../hooks/use-choices.ts'

export const useChannels = (q?: string, fresh = false) =>
  useList<Channel>('/channels', { limit: '100', q }, { fresh })

/** The name as people write it. Each workspace has its own #general, so channels of other platforms name their workspace. */
const nameOf = ({ name, platform, workspaceName, unconfirmed }: Channel) =>
  platform === 'built-in' ? `#${name}` : `#${name} (${workspaceName}${unconfirmed ? ', unconfirmed' : ''})`

export const useChannelChoices = (chosen: string | null, filters: Record<string, string> = {}) =>
  useChoices<Channel>('/channels', [chosen], {
    filters,
    labelOf: filters.workspaceId ? ({ name }) => `#${name}` : nameOf,
  })
