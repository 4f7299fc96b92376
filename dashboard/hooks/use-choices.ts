import { useDebouncedValue } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem, call } from '../api.ts'
import { itemsOf, useList } from './use-api.ts'

type Item = { id: string }
type Options<T> = {
  labelOf: (item: T) => string
  filters?: Record<string, string>
  enabled?: boolean
}

const maxWords = 80

/** Options for a picker: the newest hundred; if there are more, those that match what is typed; and always what is already chosen. */
export function useChoices<T extends Item>(
  path: string,
  chosen: readonly (string | null | undefined)[],
  { labelOf, filters = {}, enabled = true }: Options<T>,
) {
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim().replace(/^#/, '').slice(0, maxWords), 200)
  const newest = useList<T>(path, { ...filters, limit: '100' }, { enabled })
  const more = enabled && newest.hasNextPage && q !== ''
  const found = useList<T>(path, { ...filters, limit: '100', q }, { enabled: more })
  const known = [...itemsOf(newest), ...itemsOf(found)]
  const missing = useMissing<T>(path, chosen, known, enabled && newest.isSuccess)
  const labels = new Map([
    ...known.map((item) => [item.id, labelOf(item)] as const),
    ...missing.map(({ id, item }) => [id, item ? labelOf(item) : 'Deleted'] as const),
  ])
  return {
    // A to Z, as the list of channels is.
    data: [...labels]
      .map(([value, label]) => ({ value, label }))
      .sort((a, b) => a.label.localeCompare(b.label, 'en', { numeric: true })),
    searchable: true,
    onSearchChange: setTyped,
    nothingFoundMessage: found.isFetching ? 'Searching…' : 'No matches',
  }
}

/** Loaded one by one: few choices are not among the newest hundred. Without `item` if it is there no more. */
function useMissing<T extends Item>(
  path: string,
  ids: readonly (string | null | undefined)[],
  known: readonly T[],
  enabled: boolean,
): { id: string; item?: T }[] {
  const there = new Set(known.map(({ id }) => id))
  const missing = [...new Set(ids)].filter((id): id is string => !!id && !there.has(id))
  return useQueries({
    queries: missing.map((id) => ({
      queryKey: [`${path}/${id}`],
      queryFn: ({ signal }: { signal: AbortSignal }) => call<T>('GET', `${path}/${id}`, undefined, signal),
      enabled,
      staleTime: 60_000,
    })),
    combine: (answers) =>
      answers.flatMap(({ data: item, error }, at) => {
        const id = missing[at] ?? ''
        if (item) return [{ id, item }]
        return error instanceof ApiProblem && error.status === 404 ? [{ id }] : []
      }),
  })
}
