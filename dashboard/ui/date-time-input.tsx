import { TextInput } from '@mantine/core'

type Props = {
  label: string
  /** ISO 8601, as in the API. */
  value: string | undefined
  onChange: (value: string | null) => void
}

/** A date and time in the viewer's zone; the browser's own field, with its keyboard and language. */
export function DateTimeInput({ label, value, onChange }: Props) {
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
      value={value === undefined ? '' : toLocal(new Date(value))}
      onChange={(event) => {
        const moment = new Date(event.currentTarget.value)
        onChange(Number.isNaN(moment.getTime()) ? null : moment.toISOString())
      }}
    />
  )
}

function toLocal(moment: Date): string {
  if (Number.isNaN(moment.getTime())) return ''
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
