import { Stack, Text } from '@mantine/core'
import type { Workspace } from '../../../contract.ts'
import { useList } from '../../../hooks/use-api.ts'
import { ListView } from '../../../ui/table/list-view.tsx'
import { ConnectWorkspace } from './connect-workspace.tsx'
import { WorkspaceCard } from './workspace-card.tsx'

export function Workspaces() {
  const workspaces = useList<Workspace>('/workspaces', {}, { live: true })
  return (
    <Stack maw={860}>
      <Text c="dimmed">
        Where the agent chats. The built-in workspace is always available, and you can connect other chat
        systems.
      </Text>
      <ListView query={workspaces} empty={null}>
        {(items) => (
          <Stack gap={8}>
            {items.map((workspace) => (
              <WorkspaceCard key={workspace.id} workspace={workspace} />
            ))}
          </Stack>
        )}
      </ListView>
      <ConnectWorkspace />
    </Stack>
  )
}
