import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

type Props = {
  label: string
  /** ISO 8601, as in the API. */
  value: string | undefined
  onChange: (value: string | null) => void
}

/** A date and time in the viewer's zone; the browser's own field, with its keyboard and language. */
export function DateTimeInput({ label, value, onChange }: Props) {
  const [typed, setTyped] = useState(toLocal(value))
  const asked = useRef(value)
  // Once the typing pauses: the 2 of 2026 is the year 2 at first.
  const apply = useDebouncedCallback((text: string) => {
    const moment = new Date(text)
    asked.current = Number.isNaN(moment.getTime()) ? undefined : moment.toISOString()
    onChange(asked.current ?? null)
  }, 500)
  // A link or the back button may lead to another time or none: the field follows.
  useEffect(() => {
    if (value === asked.current) return
    asked.current = value
    setTyped(toLocal(value))
  }, [value])
  return (
    <TextInput
      type="datetime-local"
      size="xs"
      w={{ base: '100%', xs: 232 }}
      aria-label={label}
      title={label}
      leftSection={label}
      leftSectionWidth={52}
      leftSectionProps={{ style: { justifyContent: 'flex-start', paddingInlineStart: '0.625rem' } }}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        // A field that is half filled has no value yet.
        if (!currentTarget.validity.badInput) apply(currentTarget.value)
      }}
    />
  )
}

export function toLocal(iso: string | undefined): string {
  const moment = new Date(iso ?? '')
  if (Number.isNaN(moment.getTime())) return ''
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
