import { ActionIcon, Checkbox, Popover, Stack } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'

type Props = {
  columns: { name: string; optional?: boolean }[]
  toggled: string[]
  onChange: (toggled: string[]) => void
}

/** Which columns a list has. The first one says what a row is, so it stays. */
export function ColumnChoice({ columns, toggled, onChange }: Props) {
  return (
    <Popover position="bottom-end" shadow="none" withinPortal trapFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label="Choose columns"
          title="Choose columns"
        >
          <IconColumns3 size="0.875rem" aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Choose columns">
        <Stack gap={8} role="group" aria-label="Columns">
          {columns.map(({ name, optional = false }) => (
            <Checkbox
              key={name}
              size="xs"
              label={name}
              checked={toggled.includes(name) === optional}
              onChange={() =>
                onChange(toggled.includes(name) ? toggled.filter((one) => one !== name) : [...toggled, name])
              }
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
