import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './empty.module.css'

type Props = {
  icon?: ReactNode
  /** What this place is for, in one sentence. */
  purpose: string
  /** One example of what will be here. */
  example?: string
  action?: ReactNode
}

export function Empty({ icon, purpose, example, action }: Props) {
  return (
    <Stack align="center" gap={12} className={classes.empty}>
      {icon && <span className={classes.icon}>{icon}</span>}
      <Text fw={500} maw={520} ta="center">
        {purpose}
      </Text>
      {example && (
        <Text size="xs" c="dimmed" maw={520} ta="center">
          {example}
        </Text>
      )}
      {action}
    </Stack>
  )
}
