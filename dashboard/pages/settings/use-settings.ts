import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Settings } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { useHasRole } from '../accounts/use-me.ts'

/** Members may not read settings, so for them nothing is requested. */
export function useSettings() {
  return useOne<Settings>(useHasRole('operator') ? '/settings' : null, 30_000)
}

export function useChangeSettings() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (patch: object) => call<Settings>('PATCH', '/settings', patch),
    onSuccess: (changed) => queries.setQueryData(['/settings'], changed),
  })
}
