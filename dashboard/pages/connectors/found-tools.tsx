import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { SearchField } from '../../ui/search-field.tsx'
import { useFilter } from '../../use-filter.ts'

type Named = { name: string; description: string; path?: string | null }
type Props<T> = { tools: T[]; children: (shown: T[]) => ReactNode }

/** As many as are looked through at a glance. */
const few = 20
const shownAtOnce = 100

/** The tools of one connector, of which an imported API may have a thousand: found by their words, a hundred at once. */
export function FoundTools<T extends Named>({ tools, children }: Props<T>) {
  const [q, setQ] = useFilter('q')
  // In the URL as well: the way back from a tool leads to the same place of the list.
  const [rows, setRows] = useFilter('rows')
  const wanted = (q ?? '').toLowerCase()
  const found = tools.filter(({ name, description, path }) =>
    `${name} ${description} ${path ?? ''}`.toLowerCase().includes(wanted),
  )
  const limit = Number(rows) || shownAtOnce
  return (
    <Stack gap={8}>
      {(tools.length > few || q !== undefined) && (
        <SearchField label="Search tools" value={q} onChange={setQ} />
      )}
      {found.length > 0 ? children(found.slice(0, limit)) : <Text c="dimmed">No tool has these words.</Text>}
      {found.length > limit && (
        <Group justify="center">
          <Button variant="default" onClick={() => setRows(String(limit + shownAtOnce))}>
            Show more
          </Button>
        </Group>
      )}
    </Stack>
  )
}
