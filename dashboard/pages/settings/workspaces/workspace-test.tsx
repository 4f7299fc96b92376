import { Button, Group, Select } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../../api.ts'
import type { Workspace } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { plural } from '../../../ui/text/plural.ts'
import { useChannelChoices } from '../../channels/use-channels.ts'

/** Proves that the agent can post there. */
export function WorkspaceTest({ workspace }: { workspace: Workspace }) {
  const [channelId, setChannelId] = useState<string | null>(null)
  const channels = useChannelChoices(channelId, { workspaceId: workspace.id })
  const refresh = useAction(() => call<{ channels: number }>('POST', `/workspaces/${workspace.id}/refresh`), {
    words: (found) => `Found ${plural(found.channels, 'channel')}`,
    changes: ['/channels'],
  })
  const test = useAction(() => call('POST', `/workspaces/${workspace.id}/test`, { channelId }), {
    words: 'Test message sent',
    changes: ['/workspaces'],
  })
  return (
    <Group align="flex-end" gap={8}>
      <Select
        label="Test message"
        placeholder={channels.data.length === 0 ? 'No channels yet' : 'Choose a channel'}
        size="xs"
        w={240}
        {...channels}
        value={channelId}
        onChange={setChannelId}
      />
      <Button
        size="xs"
        variant="default"
        disabled={channelId === null}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        Send
      </Button>
      <Button size="xs" variant="default" loading={refresh.isPending} onClick={() => refresh.mutate()}>
        Refresh channels
      </Button>
    </Group>
  )
}
