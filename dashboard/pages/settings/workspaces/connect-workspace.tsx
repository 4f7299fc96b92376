import { Button, Group, Select } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../../api.ts'
import type { ExternalPlatform, Workspace } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { platformLabels } from './platform-labels.ts'

/** Creates a draft at once: it has the URL that the platform asks for before it issues any secret. */
export function ConnectWorkspace() {
  const [platform, setPlatform] = useState<ExternalPlatform>('slack')
  const connect = useAction(
    () => call<Workspace>('POST', '/workspaces', { platform, name: platformLabels[platform].label }),
    { changes: ['/workspaces'] },
  )
  return (
    <Group align="flex-end" gap={8}>
      <Select
        label="Connect a chat system"
        w={220}
        allowDeselect={false}
        value={platform}
        data={Object.entries(platformLabels).map(([value, { label, beta }]) => ({
          value,
          label: beta ? `${label} (beta)` : label,
        }))}
        onChange={(value) => setPlatform(value as ExternalPlatform)} // the select offers platforms only
      />
      <Button variant="default" loading={connect.isPending} onClick={() => connect.mutate()}>
        Connect
      </Button>
    </Group>
  )
}
