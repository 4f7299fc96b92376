import { Button, CloseButton, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconBookmark } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useToggledColumns } from './use-toggled-columns.ts'

type View = { name: string; search: Record<string, unknown>; toggled: string[] }

const longestName = 40

/** Filters, order and columns of a list under a name, in this browser. The table has the same label. */
export function SavedViews({ list }: { list: string }) {
  const [views, setViews] = useLocalStorage<View[]>({
    key: `views:${list}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  })
  const [toggled, setToggled] = useToggledColumns(list)
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const [opened, setOpened] = useState(false)
  const [name, setName] = useState('')
  const now = stateOf({ search, toggled })
  const current = views.find((view) => stateOf(view) === now)
  const show = (view: View) => {
    setToggled(view.toggled)
    void navigate({ to: '.', search: view.search })
    setOpened(false)
  }
  const save = () => {
    const saved = { name: name.trim(), search, toggled }
    setViews([...views.filter((view) => view.name !== saved.name), saved])
    setName('')
    setOpened(false)
  }
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
            <Group key={view.name} gap={4} wrap="nowrap">
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
                onClick={() => setViews(views.filter((other) => other !== view))}
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
              <Button size="xs" type="submit" variant="default" disabled={name.trim() === ''}>
                Save
              </Button>
            </Group>
          </form>
          <Text size="xs" c="dimmed">
            A view keeps filters, order and columns, in this browser. Share the address of the page to share
            the filters.
          </Text>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

/** In one order, so that two states can be compared. */
function stateOf({ search, toggled }: Pick<View, 'search' | 'toggled'>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined)
  return JSON.stringify([given.toSorted(([a], [b]) => a.localeCompare(b)), toggled.toSorted()])
}
