import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'

/** The way out of a search or filter that finds nothing. */
export function ShowAll({ to, what }: { to: string; what: string }) {
  return (
    <Button component={Link} to={to} variant="default" size="xs">
      Show all {what}
    </Button>
  )
}
