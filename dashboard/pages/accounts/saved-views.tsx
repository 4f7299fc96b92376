import { Button, CloseButton, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { IconBookmark } from '@tabler/icons-react'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call, withQuery } from '../../api.ts'
import type { View } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useOne } from '../../hooks/use-api.ts'
import { useToggledColumns } from '../../ui/table/use-toggled-columns.ts'

type Views = { items: View[] }

const longestName = 40

/** Filters, order and columns of a list under a name, for the person who is signed in. The table has the same label. */
export function SavedViews({ list }: { list: string }) {
  const path = withQuery('/views', { list })
  const views = useOne<Views>(path).data?.items ?? []
  const put = useAction((view: Omit<View, 'id'>) => call<View>('PUT', '/views', view), { changes: [path] })
  const drop = useAction(({ id }: View) => call<void>('DELETE', `/views/${id}`), { changes: [path] })
  const [columns, setColumns] = useToggledColumns(list)
  const search: Record<string, unknown> = useSearch({ strict: false })
  const { parseSearch, stringifySearch } = useRouter().options
  const navigate = useNavigate()
  const [opened, setOpened] = useState(false)
  const [name, setName] = useState('')
  const now = { query: stringifySearch(search).replace('?', ''), columns }
  const current = views.find((view) => stateOf(view) === stateOf(now))
  const show = (view: View) => {
    setColumns(view.columns)
    void navigate({ to: '.', search: parseSearch(view.query) })
    setOpened(false)
  }
  const save = () =>
    put.mutate(
      { list, name: name.trim(), ...now },
      {
        onSuccess: () => {
          setName('')
          setOpened(false)
        },
      },
    )
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" shadow="none" trapFocus width={280}>
      <Popover.Target>
        <Button
          size="xs"
          variant={current ? 'light' : 'default'}
          leftSection={<IconBookmark size="0.875rem" aria-hidden />}
          onClick={() => setOpened(!opened)}
        >
          {current?.name ?? 'Views'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Views">
        <Stack gap={8}>
          {views.map((view) => (
            <Group key={view.id} gap={4} wrap="nowrap">
              <Button
                size="compact-sm"
                variant={view === current ? 'light' : 'subtle'}
                color="gray"
                fullWidth
                justify="flex-start"
                onClick={() => show(view)}
              >
                {view.name}
              </Button>
              <CloseButton
                size="sm"
                aria-label={`Delete the view ${view.name}`}
                disabled={drop.isPending}
                onClick={() => drop.mutate(view)}
              />
            </Group>
          ))}
          <form
            onSubmit={(event) => {
              event.preventDefault()
              if (name.trim() !== '') save()
            }}
          >
            <Group gap={8} align="flex-end" wrap="nowrap">
              <TextInput
                size="xs"
                flex={1}
                label="Save this view as"
                maxLength={longestName}
                value={name}
                onChange={({ currentTarget: { value } }) => setName(value)}
              />
              <Button
                size="xs"
                type="submit"
                variant="default"
                loading={put.isPending}
                disabled={name.trim() === ''}
              >
                Save
              </Button>
            </Group>
          </form>
          <Text size="xs" c="dimmed">
            A view keeps filters, order and columns, for you alone. Share the address of the page to share the
            filters.
          </Text>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

/** In one order, so that two states can be compared. */
function stateOf({ query, columns }: Pick<View, 'query' | 'columns'>): string {
  const given = new URLSearchParams(query)
  given.sort()
  return JSON.stringify([given.toString(), columns.toSorted()])
}
