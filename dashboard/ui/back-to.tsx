import { ActionIcon, Tooltip } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'

/** From one thing to the list or the thing that it belongs to. */
export function BackTo({ to, what }: { to: string; what: string }) {
  return (
    <Tooltip label={`Back to ${what}`}>
      <ActionIcon component={Link} to={to} aria-label={`Back to ${what}`}>
        <IconArrowLeft size={18} />
      </ActionIcon>
    </Tooltip>
  )
}
