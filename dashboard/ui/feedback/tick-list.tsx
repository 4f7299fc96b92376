import { Group, Text } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'

type Props = { label: string; steps: { name: string; done: boolean }[] }

/** The steps of something that is set up, with a tick at each that is done. */
export function TickList({ label, steps }: Props) {
  return (
    <Group component="ol" gap="4px 16px" m={0} p={0} style={{ listStyle: 'none' }} aria-label={label}>
      {steps.map(({ name, done }) => (
        <Group key={name} component="li" gap={6} wrap="nowrap">
          {done ? (
            <IconCircleCheckFilled size="1rem" color="var(--good)" role="img" aria-label="Done:" />
          ) : (
            <IconCircle size="1rem" color="var(--idle)" role="img" aria-label="Not yet:" />
          )}
          <Text size="sm" c={done ? undefined : 'dimmed'}>
            {name}
          </Text>
        </Group>
      ))}
    </Group>
  )
}
