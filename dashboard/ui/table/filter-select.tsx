import { Select } from '@mantine/core'

type Props = {
  label: string
  value: string | undefined
  onChange: (value: string | null) => void
  options: (string | { value: string; label: string })[]
  /** For a list that is searched on the server. */
  onSearchChange?: (words: string) => void
  /** What "no filter" is called, as in "All states". */
  all: string
}

export function FilterSelect({ label, value, onChange, options, all, ...search }: Props) {
  return (
    <Select
      size="xs"
      w={{ base: 'calc(50% - 0.25rem)', xs: 150, lg: 190 }}
      aria-label={label}
      placeholder={all}
      data={options}
      value={value ?? null}
      onChange={onChange}
      clearable
      searchable={options.length > 8}
      {...search}
      comboboxProps={{ transitionProps: { duration: 120 }, shadow: 'none' }}
    />
  )
}
