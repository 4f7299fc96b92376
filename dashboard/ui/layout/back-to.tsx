import { ActionIcon, Tooltip } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'

/** A link from one thing to the list or thing it belongs to. */
export function BackTo({ to, what }: { to: string; what: string }) {
  return (
    <Tooltip label={`Back to ${what}`}>
      <ActionIcon component={Link} to={to} aria-label={`Back to ${what}`}>
        <IconArrowLeft size="1.125rem" aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
