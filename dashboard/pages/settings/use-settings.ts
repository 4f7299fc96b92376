import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { useOne } from '../../use-api.ts'

export type Settings = {
  agentName?: string
  paused?: boolean
} & Record<string, unknown>

export const useSettings = () => useOne<Settings>('/settings', 30_000)

export function useChangeSettings() {
  const queries = useQueryClient()
  return async (patch: Partial<Settings>) => {
    const changed = await call<Settings>('PATCH', '/settings', patch)
    queries.setQueryData(['/settings'], changed)
    return changed
  }
}
