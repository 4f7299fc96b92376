import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'

/** Without a name it is deleted, and has no page. */
export function WebhookLink({ id, name }: { id: string; name: string | null }) {
  if (name === null) return 'Deleted webhook'
  return (
    <Anchor component={Link} to={`/webhooks/${id}`}>
      {name}
    </Anchor>
  )
}
