import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'

/** Without a name it is deleted, and has no page. */
export function ScheduleLink({ id, name }: { id: string; name: string | null }) {
  if (name === null) return 'Deleted schedule'
  return (
    <Anchor component={Link} to={`/schedules/${id}`}>
      {name}
    </Anchor>
  )
}
