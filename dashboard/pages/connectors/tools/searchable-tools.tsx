import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFilter } from '../../../hooks/use-filter.ts'
import { SearchField } from '../../../ui/table/search-field.tsx'

type Named = { name: string; description: string; path?: string | null }
type Props<T> = { tools: T[]; what?: string; children: (found: T[]) => ReactNode }

/** Up to this many need no search field. */
const few = 20

/** The tools of one connector, or what may become one. An imported API may have a thousand. */
export function SearchableTools<T extends Named>({ tools, what = 'tools', children }: Props<T>) {
  const [q, setQ] = useFilter('q')
  const wanted = (q ?? '').toLowerCase()
  const found = tools.filter(({ name, description, path }) =>
    `${name} ${description} ${path ?? ''}`.toLowerCase().includes(wanted),
  )
  return (
    <Stack gap={8}>
      {(tools.length > few || q !== undefined) && (
        <SearchField label={`Search ${what}`} value={q} onChange={setQ} />
      )}
      {found.length > 0 ? children(found) : <Text c="dimmed">No matching {what}</Text>}
    </Stack>
  )
}
