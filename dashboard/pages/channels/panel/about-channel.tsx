import { Anchor, List, Select, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Channel, Webhook } from '../../../contract.ts'
import { itemsOf, useList } from '../../../hooks/use-api.ts'
import { QueryView } from '../../../ui/feedback/query-view.tsx'
import { useHasRole } from '../../accounts/use-me.ts'
import { useConnectorStates } from '../../connectors/use-connectors.ts'
import { useStats } from '../../status/use-stats.ts'
import { ReachView } from '../../tools/reach-view.tsx'
import { WebhookState } from '../../webhooks/webhook-state.tsx'
import { notifyLevels, useNotifyLevel } from '../use-notify-level.ts'
import classes from './about-channel.module.css'
import { Watching } from './watching.tsx'

/** What posts in a channel and what the agent may use there. */
export function AboutChannel({ channel }: { channel: Channel }) {
  const operator = useHasRole('operator')
  const { level, choose } = useNotifyLevel(channel)
  return (
    <Stack gap="lg" p="md" className={classes.about}>
      <div>
        <Title order={2}>#{channel.name}</Title>
        <Text size="sm" c="dimmed">
          {channel.platform === 'built-in'
            ? 'A channel of the built-in workspace.'
            : `A channel of ${channel.workspaceName}. People write there; Bellhop shows the conversation with the agent.`}
        </Text>
      </div>
      <Select
        label="Count as unread"
        description="For you alone. Nothing of a muted channel is counted, not even mentions."
        allowDeselect={false}
        data={notifyLevels}
        value={level}
        onChange={choose}
      />
      <Members channel={channel} />
      {operator && <Watching channel={channel} />}
      {operator && <Posting channelId={channel.id} />}
      {operator && <Allowed connectorIds={channel.connectorIds} />}
      {operator && (
        <section aria-label="Reach">
          <Title order={3}>Reach</Title>
          <ReachView path={`/channels/${channel.id}`} who="a member" />
        </section>
      )}
    </Stack>
  )
}

/** Channels have no lists of members: here, all of them are open to everybody, but for private ones of a platform. */
function Members({ channel: { platform, isPrivate, workspaceName } }: { channel: Channel }) {
  const admin = useHasRole('admin')
  return (
    <section aria-label="Members">
      <Title order={3}>Members</Title>
      <Text size="sm" c="dimmed">
        {platform === 'built-in' && 'Everybody who can sign in reads and writes here, and so does the agent.'}
        {platform !== 'built-in' &&
          (isPrivate
            ? `The channel is private in ${workspaceName}: here, only operators and admins read it.`
            : `Everybody who can sign in reads it here. Who writes in it is up to ${workspaceName}.`)}{' '}
        {admin && (
          <Anchor component={Link} to="/settings/users" size="sm">
            Users
          </Anchor>
        )}
      </Text>
    </section>
  )
}

function Posting({ channelId }: { channelId: string }) {
  const webhooks = useList<Webhook>('/webhooks', { channelId, limit: '100' }, { live: true })
  const stats = useStats(24)
  const recent = new Map(stats.data?.byWebhook.map((figures) => [figures.webhookId, figures.runs]))
  return (
    <section aria-label="Webhooks that post here">
      <Title order={3}>Webhooks that post here</Title>
      <QueryView query={webhooks} rows={2}>
        {() => {
          const items = itemsOf(webhooks)
          if (items.length === 0)
            return (
              <Text size="sm" c="dimmed">
                No webhook posts here yet.{' '}
                <Anchor component={Link} to="/webhooks/new" size="sm">
                  New webhook
                </Anchor>
              </Text>
            )
          return (
            <ul className={classes.list}>
              {items.map((webhook) => (
                <li key={webhook.id} className={classes.item}>
                  <Anchor component={Link} to={`/webhooks/${webhook.id}`} className={classes.name}>
                    {webhook.name}
                  </Anchor>
                  <WebhookState webhook={webhook} />
                  {stats.data && <Success runs={recent.get(webhook.id)} />}
                </li>
              ))}
            </ul>
          )
        }}
      </QueryView>
    </section>
  )
}

function Success({ runs }: { runs: { succeeded: number; failed: number } | undefined }) {
  const ended = runs ? runs.succeeded + runs.failed : 0
  if (!runs || ended === 0)
    return (
      <Text size="xs" c="dimmed" className={classes.figure}>
        No runs finished in 24 hours
      </Text>
    )
  return (
    <Text size="xs" c={runs.failed > 0 ? 'var(--bad)' : 'dimmed'} className={classes.figure}>
      {runs.succeeded} of {ended} succeeded in 24 hours
    </Text>
  )
}

function Allowed({ connectorIds }: { connectorIds: string[] | null }) {
  const connectors = useConnectorStates()
  const named = itemsOf(connectors).filter(({ id }) => connectorIds?.includes(id))
  return (
    <section aria-label="Connectors the agent may use here">
      <Title order={3}>Connectors the agent may use here</Title>
      {connectorIds === null && (
        <Text size="sm" c="dimmed">
          All connectors
        </Text>
      )}
      {connectorIds?.length === 0 && (
        <Text size="sm" c="dimmed">
          None
        </Text>
      )}
      {named.length > 0 && (
        <List size="sm">
          {named.map(({ id, name }) => (
            <List.Item key={id}>
              <Anchor component={Link} to={`/connectors/${id}`} size="sm">
                {name}
              </Anchor>
            </List.Item>
          ))}
        </List>
      )}
    </section>
  )
}
