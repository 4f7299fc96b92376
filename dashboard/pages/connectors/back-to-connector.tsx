import { ActionIcon } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'

export function BackToConnector({ id }: { id: string }) {
  return (
    <ActionIcon
      component={Link}
      to={`/connectors/${id}`}
      variant="subtle"
      color="gray"
      aria-label="Back to the connector"
    >
      <IconArrowLeft size={18} />
    </ActionIcon>
  )
}
