import { MultiSelect, Select, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useConnectorChoices } from './use-connectors.ts'

type Props = {
  description: string
  /** What applies without a list. */
  usual: string
  /** Null means no list. An empty list counts: the agent then has no tools. */
  value: string[] | null
  onChange: (ids: string[] | null) => void
  error?: ReactNode
  w?: number
}

/** Which connectors the agent may use. */
export function ConnectorScope({ description, usual, value, onChange, error, w }: Props) {
  const choices = useConnectorChoices(value ?? [])
  return (
    <Stack gap={8}>
      <Select
        label="Connectors"
        description={description}
        allowDeselect={false}
        w={w}
        data={[
          { value: 'usual', label: usual },
          { value: 'listed', label: 'Only selected' },
        ]}
        value={value === null ? 'usual' : 'listed'}
        onChange={(chosen) => onChange(chosen === 'usual' ? null : (value ?? []))}
      />
      {value !== null && (
        <MultiSelect
          aria-label="Selected connectors"
          placeholder={value.length === 0 ? 'None' : ''}
          clearable
          w={w}
          {...choices}
          value={value}
          onChange={onChange}
          error={error}
        />
      )}
    </Stack>
  )
}
