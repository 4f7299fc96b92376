import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'

type Props = {
  label: string
  /** An example of what can be typed; defaults to the label. */
  placeholder?: string
  value: string | undefined
  onChange: (value: string | null) => void
}

/** Searches the things of a page once the typing pauses. `/` focuses it. */
export function SearchField({ label, placeholder = label, value, onChange }: Props) {
  const [typed, setTyped] = useState(value ?? '')
  const asked = useRef(value)
  const apply = useDebouncedCallback((text: string) => {
    asked.current = text.trim() || undefined
    onChange(asked.current ?? null)
  }, 300)
  // A link or the back button may lead to another search or none: the field follows.
  useEffect(() => {
    if (value === asked.current) return
    asked.current = value
    setTyped(value ?? '')
  }, [value])
  return (
    <TextInput
      data-slash
      type="search"
      size="xs"
      w={{ base: '100%', xs: 220 }}
      maw="100%"
      maxLength={80}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size="0.875rem" aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        apply(event.currentTarget.value)
      }}
      // A form around the list is not sent by it.
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.preventDefault()
      }}
    />
  )
}
