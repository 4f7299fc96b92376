import { ActionIcon } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'

export function BackToChannels() {
  return (
    <ActionIcon component={Link} to="/channels" variant="subtle" color="gray" aria-label="All channels">
      <IconArrowLeft size={18} />
    </ActionIcon>
  )
}
