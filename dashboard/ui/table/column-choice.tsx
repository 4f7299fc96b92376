import { ActionIcon, Checkbox, Popover, Stack } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'

type Props = { names: string[]; hidden: string[]; onChange: (hidden: string[]) => void }

/** Which columns a list has. The first one says what a row is, so it stays. */
export function ColumnChoice({ names, hidden, onChange }: Props) {
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
          {names.map((name) => (
            <Checkbox
              key={name}
              size="xs"
              label={name}
              checked={!hidden.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? hidden.filter((one) => one !== name) : [...hidden, name])
              }
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
