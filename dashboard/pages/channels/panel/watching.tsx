import { Alert, Anchor, Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { watchedPlatforms } from '../../../../src/chat/watches/contract.ts'
import { call } from '../../../api.ts'
import type { Channel } from '../../../contract.ts'
import { askToConfirm } from '../../../ui/feedback/ask-to-confirm.ts'
import { plural } from '../../../ui/text/plural.ts'
import { WatchForm } from './watch-form.tsx'

const authors = { apps: 'apps', people: 'people', all: 'people and apps' } as const

/** Whether messages in the channel start the agent by themselves. */
export function Watching({ channel }: { channel: Channel }) {
  const queries = useQueryClient()
  const [editing, { open, close }] = useDisclosure(false)
  const { watch } = channel
  const change = useMutation({
    mutationFn: (to: Record<string, unknown> | null) =>
      call('PATCH', `/channels/${channel.id}`, { watch: to }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['/channels'] }),
  })
  if (!watchedPlatforms.includes(channel.platform)) return null
  return (
    <section aria-label="Watching">
      <Title order={3}>Watching</Title>
      {watch === null ? (
        <Stack gap="xs" align="flex-start">
          <Text size="sm" c="dimmed">
            The agent answers here when it is mentioned. It can also read new messages by itself, such as
            alerts.
          </Text>
          <Button size="xs" variant="default" onClick={open}>
            Watch this channel
          </Button>
        </Stack>
      ) : (
        <Stack gap="xs">
          {watch.paused && (
            <Alert color="yellow" title="Paused">
              {watch.pauseReason} New messages are kept and answered once somebody resumes it.
            </Alert>
          )}
          <Text size="sm">
            New messages of {authors[watch.from]} start the agent
            {watch.when !== null && (
              <>
                {' '}
                when <Code>{watch.when}</Code>
              </>
            )}
            . At most {plural(watch.perHour, 'run')} an hour, up to {watch.ceiling}.
          </Text>
          <Text size="sm" c="dimmed" lineClamp={4}>
            {watch.prompt}
          </Text>
          <Anchor component={Link} to={`/events?channelId=${channel.id}`} size="sm">
            Show its events
          </Anchor>
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={open}>
              Edit
            </Button>
            <Button
              size="xs"
              variant="default"
              loading={change.isPending}
              onClick={() => {
                const { pauseReason: _, ...fields } = watch
                change.mutate({ ...fields, paused: !watch.paused })
              }}
            >
              {watch.paused ? 'Resume' : 'Pause'}
            </Button>
            <Button
              size="xs"
              variant="subtle"
              color="red"
              onClick={() =>
                askToConfirm({
                  title: `Stop watching #${channel.name}?`,
                  text: 'Messages that wait are not answered. What was answered stays.',
                  action: 'Stop watching',
                  onConfirm: () => change.mutate(null),
                })
              }
            >
              Stop
            </Button>
          </Group>
          {change.error && (
            <Text size="sm" c="var(--bad)" role="alert">
              {change.error.message}
            </Text>
          )}
        </Stack>
      )}
      {editing && <WatchForm channel={channel} onClose={close} />}
    </section>
  )
}
