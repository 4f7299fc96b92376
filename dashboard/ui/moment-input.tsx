import { TextInput } from '@mantine/core'

type Props = {
  label: string
  /** ISO 8601, as the API has it. */
  value: string | undefined
  onChange: (value: string | null) => void
}

/** A moment in the time of whoever looks; the browser's own field, so every one has its keyboard and its language. */
export function MomentInput({ label, value, onChange }: Props) {
  return (
    <TextInput
      type="datetime-local"
      size="xs"
      w={{ base: '100%', xs: 232 }}
      aria-label={label}
      title={label}
      leftSection={label}
      leftSectionWidth={46}
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
