import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { SignedOutPage } from '../pages/accounts/signed-out-page.tsx'

export function NotFound() {
  return (
    <SignedOutPage title="Page not found" hint="The link may be outdated or incomplete.">
      <Button component={Link} to="/">
        Back to home
      </Button>
    </SignedOutPage>
  )
}
