import { Button, Group } from '@mantine/core'

type Props = {
  label: string
  value: string | undefined
  onChange: (value: string | null) => void
  options: { value: string; label: string }[]
}

/** One of a few choices, each visible; a second click on the chosen one shows all again. */
export function FilterChips({ label, value, onChange, options }: Props) {
  return (
    <Group gap={4} role="group" aria-label={label}>
      {options.map((option) => {
        const isChosen = option.value === value
        return (
          <Button
            key={option.value}
            size="compact-xs"
            radius="xl"
            variant={isChosen ? 'light' : 'default'}
            fw={isChosen ? 500 : 400}
            aria-pressed={isChosen}
            onClick={() => onChange(isChosen ? null : option.value)}
          >
            {option.label}
          </Button>
        )
      })}
    </Group>
  )
}
