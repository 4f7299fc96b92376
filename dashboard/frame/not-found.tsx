import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { SignedOutPage } from '../pages/accounts/signed-out-page.tsx'

export function NotFound() {
  return (
    <SignedOutPage title="No page has this address" hint="The link may be old, or a letter of it is missing.">
      <Button component={Link} to="/">
        Go home
      </Button>
    </SignedOutPage>
  )
}
