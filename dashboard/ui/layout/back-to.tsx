import { ActionIcon } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Hint } from './hint.tsx'

/** A link from one thing to the list or thing it belongs to. */
export function BackTo({ to, what }: { to: string; what: string }) {
  return (
    <Hint label={`Back to ${what}`}>
      <ActionIcon component={Link} to={to} aria-label={`Back to ${what}`}>
        <IconArrowLeft size="1.125rem" aria-hidden />
      </ActionIcon>
    </Hint>
  )
}
