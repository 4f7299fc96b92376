import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Door } from '../pages/accounts/door.tsx'

export function NotFound() {
  return (
    <Door title="No page has this address" hint="The link may be old, or a letter of it is missing.">
      <Button component={Link} to="/">
        Go home
      </Button>
    </Door>
  )
}
