import { Alert, Button, Divider } from '@mantine/core'
import { apiUrl, withQuery } from '../../api.ts'
import { useFilter } from '../../hooks/use-filter.ts'

/** Why sign-in through the provider failed, by the server's code. */
const reasons: Record<string, string> = {
  expired: 'Signing in took too long, or was started in another browser. Try again.',
  'provider-failed':
    'The provider could not confirm who you are. Try again. If the problem persists, contact an admin.',
  'provider-away': 'The provider is not responding. Try again in a moment, or sign in with your password.',
  'email-not-verified':
    'Your email address is not verified with the provider. Verify it there, then try again.',
  'not-invited': 'You have not been invited yet. Ask an admin to invite your email address.',
  disabled: 'Your account is disabled. Ask an admin.',
  'too-many-requests': 'Too many sign-in attempts from your network. Wait a minute, then try again.',
  unavailable: 'Bellhop cannot reach its database. Try again in a moment.',
  'not-found':
    'This sign-in method was removed. Sign in with your password, or ask an admin for a reset link.',
}

/** Sign-in through the team's OpenID Connect provider, if one is configured, and why it failed last. */
export function ProviderSignIn({ name, to }: { name: string | null; to: string }) {
  const [refused] = useFilter('refused')
  const reason = refused === undefined ? undefined : reasons[refused]
  return (
    <>
      {name && <Divider label="or" />}
      {reason && (
        <Alert
          color="red"
          variant="outline"
          role="alert"
          title={`Signing in with ${name ?? 'your provider'} failed`}
        >
          {reason}
        </Alert>
      )}
      {name && (
        <Button component="a" href={apiUrl(withQuery('/session/oidc', { to }))} variant="default" fullWidth>
          Sign in with {name}
        </Button>
      )}
    </>
  )
}
