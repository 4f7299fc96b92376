import { Alert, Group, Stack, Text } from '@mantine/core'
import { call } from '../../../api.ts'
import type { Workspace } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { ConfirmButton } from '../../../ui/feedback/confirm-button.tsx'
import { StatusBadge } from '../../../ui/feedback/status-badge.tsx'
import { TickList } from '../../../ui/feedback/tick-list.tsx'
import { Card } from '../../../ui/layout/card.tsx'
import { Collapsible } from '../../../ui/layout/collapsible.tsx'
import { Facts } from '../../../ui/layout/facts.tsx'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { LocalAddress } from '../../../ui/text/local-address.tsx'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import { platformLabels } from './platform-labels.ts'
import { StepText } from './step-text.tsx'
import classes from './workspace-card.module.css'
import { WorkspaceForm } from './workspace-form.tsx'
import { WorkspacePeople } from './workspace-people.tsx'
import { WorkspaceTest } from './workspace-test.tsx'

const tones = { connected: 'good', draft: 'idle', paused: 'waiting', revoked: 'bad' } as const

/** One chat system: its state, and how to fix it. */
export function WorkspaceCard({ workspace }: { workspace: Workspace }) {
  const { platform } = workspace
  // Over its socket, Slack also sends clicks and commands. Others send those to the URL.
  const needsUrl = !(platform === 'slack' && workspace.connection === 'socket')
  return (
    <Card label={workspace.name}>
      <Stack gap={12}>
        <Group gap={8}>
          <Text fw={600}>{workspace.name}</Text>
          <StatusBadge tone={tones[workspace.status]} word={workspace.status} />
          {workspace.beta && <StatusBadge tone="waiting" word="beta" />}
        </Group>
        {workspace.status === 'revoked' && (
          <Alert color="red" variant="outline">
            The platform no longer accepts the token. Install the app again and paste the new token.
          </Alert>
        )}
        {workspace.lastError && (
          <Text size="sm" c="var(--bad)">
            {workspace.lastError} (<RelativeTime at={workspace.lastErrorAt} />)
          </Text>
        )}
        {platform === 'built-in' ? (
          <Text size="sm" c="dimmed">
            Ready to use. Its channels are listed under Channels.
          </Text>
        ) : (
          <>
            <TickList label="Setup" steps={setupOf(workspace)} />
            <Facts
              of={{
                ...(needsUrl
                  ? {
                      'Events URL': (
                        <Group gap={4} wrap="nowrap">
                          <code className={classes.url}>{workspace.eventsUrl}</code>
                          <CopyButton value={workspace.eventsUrl ?? ''} what="URL" />
                        </Group>
                      ),
                    }
                  : {}),
                ...(workspace.connection === 'socket' && workspace.status === 'connected'
                  ? {
                      'Message connection': workspace.openSince ? (
                        <>
                          Open since <RelativeTime at={workspace.openSince} />
                        </>
                      ) : (
                        'Not open. Bellhop keeps trying to connect.'
                      ),
                    }
                  : {}),
                ...(workspace.status === 'draft'
                  ? {}
                  : {
                      'Last event': <RelativeTime at={workspace.lastEventAt} />,
                      'Last post': <RelativeTime at={workspace.lastPostAt} />,
                    }),
              }}
            />
            {needsUrl && platform !== 'slack' && <LocalAddress url={workspace.eventsUrl ?? ''} />}
            <MissingScopes scopes={workspace.missingScopes} />
            {platformLabels[platform].unreadThreads && (
              <Text size="sm" c="dimmed" maw={640}>
                {platformLabels[platform].unreadThreads}
              </Text>
            )}
            <Collapsible
              title="Connection"
              summary={workspace.status === 'draft' ? 'Secrets needed' : 'Secrets set'}
              open={workspace.status === 'draft'}
            >
              <Stack>
                <Text size="xs" c="dimmed">
                  Tested with {platformLabels[platform].testedWith}
                  {workspace.beta ? ', not yet with the service itself.' : '.'}
                </Text>
                <WorkspaceForm workspace={workspace} platform={platform} />
              </Stack>
            </Collapsible>
            {workspace.status !== 'draft' && <WorkspaceTest workspace={workspace} />}
            {workspace.status !== 'draft' && (
              <Collapsible title="People" summary="Linked accounts">
                <WorkspacePeople workspace={workspace} />
              </Collapsible>
            )}
            <Disconnect workspace={workspace} />
          </>
        )}
      </Stack>
    </Card>
  )
}

/** What is known to work, in the order in which it comes to work. */
function setupOf({ status, credentials, lastEventAt, lastPostAt }: Workspace) {
  return [
    { name: 'Secrets stored', done: Object.values(credentials).some(({ set }) => set) },
    { name: 'Connected', done: status === 'connected' },
    { name: 'First message received', done: lastEventAt !== null },
    { name: 'First message posted', done: lastPostAt !== null },
  ]
}

/** The app was installed from an older manifest. */
function MissingScopes({ scopes }: { scopes: string[] }) {
  if (scopes.length === 0) return null
  return (
    <Alert color="yellow" variant="outline" title="Update the app">
      The installed app lacks these scopes: {scopes.join(', ')}.{' '}
      <StepText
        text="On [api.slack.com](https://api.slack.com/apps), open the app, paste the manifest from below under App Manifest, save it and install the app again. Then click Save & connect here."
        values={{}}
      />
    </Alert>
  )
}

function Disconnect({ workspace }: { workspace: Workspace }) {
  const drop = useAction(() => call<void>('DELETE', `/workspaces/${workspace.id}`), {
    words: `${workspace.name} was disconnected`,
    changes: ['/workspaces'],
  })
  return (
    <Group>
      <ConfirmButton
        question={`Disconnect ${workspace.name}?`}
        text="The agent stops reading and posting there, and the stored secrets are deleted. A workspace that a webhook posts to cannot be disconnected."
        confirm="Disconnect"
        action={drop}
      >
        Disconnect
      </ConfirmButton>
    </Group>
  )
}
