import { Alert, Button, Divider } from '@mantine/core'
import { apiUrl, withQuery } from '../../api.ts'
import { useFilter } from '../../use-filter.ts'

/** Why sign-in through the provider failed, by the server's code. */
const reasons: Record<string, string> = {
  expired: 'That took too long, or was begun in another browser. Try again.',
  'provider-failed':
    'The provider did not confirm who you are. Try again; if it stays like this, tell an admin.',
  'provider-away': 'The provider does not answer. Try again in a moment, or sign in with your password.',
  'email-not-verified': 'The provider has not verified your e-mail address. Verify it there and try again.',
  'not-invited': 'Nobody has invited you yet. Ask an admin for an invitation to your e-mail address.',
  disabled: 'Your account is disabled. Ask an admin.',
  'too-many-requests': 'Too many sign-ins were tried from your network. Wait a minute, then try again.',
  unavailable: 'Bellhop cannot reach its database right now. Try again in a moment.',
  'not-found': 'The admins have removed it. Sign in with your password, or ask an admin for a reset link.',
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
          title={`Signing in with ${name ?? 'your provider'} did not work`}
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
