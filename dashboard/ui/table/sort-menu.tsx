import { ActionIcon, Group, NativeSelect } from '@mantine/core'
import { IconSortAscending, IconSortDescending } from '@tabler/icons-react'

type Props = {
  /** The names of the columns that can be sorted. */
  names: string[]
  sorted: { name: string; down: boolean } | null
  /** Null: as before. Without `down`, as a first click on the column does. */
  onChange: (name: string | null, down?: boolean) => void
}

/** For windows that are too narrow for the columns whose names are clicked otherwise: the picker that a phone has anyway. */
export function SortMenu({ names, sorted, onChange }: Props) {
  const Icon = sorted?.down ? IconSortDescending : IconSortAscending
  const turn = sorted?.down ? 'Sort upwards' : 'Sort downwards'
  return (
    <Group gap={8} wrap="nowrap" hiddenFrom="sm">
      <NativeSelect
        size="xs"
        flex={1}
        aria-label="Sort by"
        data={[{ value: '', label: 'Default order' }, ...names]}
        value={sorted?.name ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
      />
      {sorted && (
        <ActionIcon
          variant="default"
          size="input-xs"
          aria-label={turn}
          title={turn}
          onClick={() => onChange(sorted.name, !sorted.down)}
        >
          <Icon size="1rem" aria-hidden />
        </ActionIcon>
      )}
    </Group>
  )
}
