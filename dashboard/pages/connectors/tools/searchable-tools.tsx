import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFilter } from '../../../hooks/use-filter.ts'
import { SearchField } from '../../../ui/table/search-field.tsx'

type Named = { name: string; description: string; path?: string | null }
type Props<T> = { tools: T[]; children: (shown: T[]) => ReactNode }

/** Up to this many need no search field. */
const few = 20
const pageSize = 100

/** The tools of one connector. An imported API may have a thousand, so they are searched and shown a hundred at a time. */
export function SearchableTools<T extends Named>({ tools, children }: Props<T>) {
  const [q, setQ] = useFilter('q')
  // In the URL too, so that the way back from a tool leads to the same place in the list.
  const [rows, setRows] = useFilter('rows')
  const wanted = (q ?? '').toLowerCase()
  const found = tools.filter(({ name, description, path }) =>
    `${name} ${description} ${path ?? ''}`.toLowerCase().includes(wanted),
  )
  const limit = Number(rows) || pageSize
  return (
    <Stack gap={8}>
      {(tools.length > few || q !== undefined) && (
        <SearchField label="Search tools" value={q} onChange={setQ} />
      )}
      {found.length > 0 ? children(found.slice(0, limit)) : <Text c="dimmed">No matching tools</Text>}
      {found.length > limit && (
        <Group justify="center">
          <Button variant="default" onClick={() => setRows(String(limit + pageSize))}>
            Show more
          </Button>
        </Group>
      )}
    </Stack>
  )
}
