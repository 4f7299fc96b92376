import { Button, Group, Select } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Workspace } from '../../../src/chat/workspaces/contract.ts'
import { call } from '../../api.ts'
import { say, sayProblem } from '../../ui/say.ts'
import { useChannelChoices } from '../channels/use-channels.ts'

/** Proves that the agent can post there. */
export function WorkspaceTest({ workspace }: { workspace: Workspace }) {
  const queries = useQueryClient()
  const [channelId, setChannelId] = useState<string | null>(null)
  const channels = useChannelChoices(channelId, { workspaceId: workspace.id })
  const refresh = useMutation({
    mutationFn: () => call<{ channels: number }>('POST', `/workspaces/${workspace.id}/refresh`),
    onSuccess: ({ channels: count }) => say(`${count} channels found.`),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['/channels'] }),
  })
  const test = useMutation({
    mutationFn: () => call('POST', `/workspaces/${workspace.id}/test`, { channelId }),
    onSuccess: () => say('Sent.'),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['/workspaces'] }),
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
        Read the channels again
      </Button>
    </Group>
  )
}
