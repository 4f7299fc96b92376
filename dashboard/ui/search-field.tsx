import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'

type Props = {
  label: string
  /** An example of what can be typed; the label, unless there is one. */
  placeholder?: string
  value: string | undefined
  onChange: (value: string | null) => void
}

/** Finds among the things of a page, once the typing pauses. `/` leads here. */
export function SearchField({ label, placeholder = label, value, onChange }: Props) {
  const [typed, setTyped] = useState(value ?? '')
  const apply = useDebouncedCallback((text: string) => onChange(text.trim() || null), 300)
  return (
    <TextInput
      data-slash
      type="search"
      size="xs"
      w={{ base: '100%', xs: 220 }}
      maxLength={80}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={14} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        apply(event.currentTarget.value)
      }}
    />
  )
}
