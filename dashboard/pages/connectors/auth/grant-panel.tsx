import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../../api.ts'
import type { Connector, OauthPlan } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { ConfirmButton } from '../../../ui/feedback/confirm-button.tsx'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import { useHasRole } from '../../accounts/use-me.ts'

type Grant = NonNullable<Connector['grant']>
type Props = { connector: Connector; grant: Grant }

/** Whom a connector acts as, or what is missing until it acts as somebody. */
export function GrantPanel({ connector, grant }: Props) {
  if (grant.state === 'connected') return <Connected connector={connector} grant={grant} />
  const hasEnded = grant.state === 'reconnect'
  if (connector.authType === 'oauth_client') {
    return hasEnded ? (
      <Alert color="red" variant="outline" title="The client credentials were refused">
        <Text size="sm">{grant.lastError}</Text>
        <Text size="sm">Correct them under Settings and save.</Text>
      </Alert>
    ) : null
  }
  return (
    <Alert
      color={hasEnded ? 'red' : 'yellow'}
      variant="outline"
      title={hasEnded ? `Access to ${connector.name} has ended` : `${connector.name} is not connected`}
    >
      <Stack gap={8}>
        {hasEnded && (
          <>
            <Text size="sm">{grant.lastError ?? 'It was revoked or has expired.'}</Text>
            <Text size="sm">The agent cannot use this connector until an admin reconnects it.</Text>
          </>
        )}
        <SignIn connector={connector} />
      </Stack>
    </Alert>
  )
}

/** Says where the person is about to go, before they go there. */
function SignIn({ connector }: { connector: Connector }) {
  const admin = useHasRole('admin')
  const path = `/connectors/${connector.id}/oauth`
  const plan = useQuery({
    queryKey: [`${path}/discover`, connector.version],
    queryFn: () => call<OauthPlan>('POST', `${path}/discover`, {}),
    retry: false,
    staleTime: 60_000,
  })
  const start = useAction(async (issuer: string) => {
    const { authorizationUrl } = await call<{ authorizationUrl: string }>('POST', `${path}/start`, { issuer })
    window.location.assign(authorizationUrl)
  })
  if (plan.isPending) return <Loading rows={1} />
  if (plan.error) return <ErrorAlert error={plan.error} retry={() => void plan.refetch()} />
  const { issuer, signInAt, scopes, registration, callbackUrl, changed } = plan.data
  return (
    <Stack gap={8}>
      <Text size="sm">
        {connector.name} wants {admin ? 'you' : 'an admin'} to sign in at <b>{signInAt}</b>
        {scopes.length > 0 && <> and asks for {scopes.join(', ')}</>}.
      </Text>
      {changed && (
        <Text size="sm" c="var(--bad)">
          This is another server than before ({connector.grant?.issuer}). Sign in only if you know why.
        </Text>
      )}
      {registration === 'manual' ? (
        <Text size="sm" component="div">
          It does not let Bellhop register itself. Register an app there with this callback URL, then enter
          its client ID under Settings:
          <Group gap={4} mt={4} wrap="nowrap">
            <Code style={{ overflowWrap: 'anywhere' }}>{callbackUrl}</Code>
            <CopyButton value={callbackUrl} what="callback URL" />
          </Group>
        </Text>
      ) : (
        admin && (
          <Group>
            <Button size="xs" loading={start.isPending} onClick={() => start.mutate(issuer)}>
              Sign in at {signInAt}
            </Button>
          </Group>
        )
      )}
    </Stack>
  )
}

function Connected({ connector, grant }: Props) {
  const admin = useHasRole('admin')
  const path = `/connectors/${connector.id}/oauth`
  const reconnect = useAction(async () => {
    const { issuer } = await call<OauthPlan>('POST', `${path}/discover`, {})
    if (issuer !== grant.issuer)
      throw new Error(`The server now wants you to sign in at ${issuer}. Disconnect first.`)
    const { authorizationUrl } = await call<{ authorizationUrl: string }>('POST', `${path}/start`, { issuer })
    window.location.assign(authorizationUrl)
  })
  const changes = [`/connectors/${connector.id}`, '/connectors']
  const disconnect = useAction(() => call('POST', `${path}/disconnect`, {}), {
    words: 'Disconnected',
    changes,
  })
  const isForPeople = connector.authType === 'oauth'
  return (
    <Group justify="space-between" gap={8}>
      <Text size="sm" c="dimmed">
        Connected
        {grant.account && (
          <>
            {' '}
            as <b>{grant.account}</b>
          </>
        )}
        {grant.connectedBy && <> by {grant.connectedBy}</>}
        {grant.connectedAt && (
          <>
            {' '}
            <RelativeTime at={grant.connectedAt} />
          </>
        )}
        {' · '}
        {grant.canRefresh || grant.expiresAt === null ? (
          'renews itself'
        ) : (
          <>
            ends <RelativeTime at={grant.expiresAt} />
          </>
        )}
      </Text>
      {admin && isForPeople && (
        <Group gap={8}>
          <Button
            size="xs"
            variant="default"
            loading={reconnect.isPending}
            onClick={() => reconnect.mutate()}
          >
            Reconnect
          </Button>
          <ConfirmButton
            question={`Disconnect ${connector.name}?`}
            text="The agent can no longer use its tools until an admin signs in again. Pending approvals become void."
            confirm="Disconnect"
            action={disconnect}
          >
            Disconnect
          </ConfirmButton>
        </Group>
      )}
    </Group>
  )
}

/** After a test that was answered with the address of a sign-in. */
export function UseOauth({ connector }: { connector: Connector }) {
  const path = `/connectors/${connector.id}`
  const use = useAction(() => call('PATCH', path, { authType: 'oauth' }), { changes: [path, '/connectors'] })
  if (connector.authType === 'oauth') return null
  return (
    <Group>
      <Button size="xs" loading={use.isPending} onClick={() => use.mutate()}>
        Use OAuth
      </Button>
    </Group>
  )
}
