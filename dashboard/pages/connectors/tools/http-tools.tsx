import { Code, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { call } from '../../../api.ts'
import type { HttpConnector, Tool } from '../../../contract.ts'
import { useBulk } from '../../../hooks/use-bulk.ts'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { Facts } from '../../../ui/layout/facts.tsx'
import { BulkButton } from '../../../ui/table/bulk-button.tsx'
import { type Column, DataTable } from '../../../ui/table/data-table.tsx'
import { useHasRole } from '../../accounts/use-me.ts'
import { CapabilityBadge } from '../../tools/capability-badge.tsx'
import { MethodBadge } from '../../tools/method-badge.tsx'
import { capabilityOrder, defaultPermission, permissionLabels } from '../../tools/permission-labels.ts'
import { authLabels } from '../auth/auth-labels.ts'
import { Warnings } from '../warnings.tsx'
import { healthColumns, shareOfErrors } from './health-columns.tsx'
import { Hosts } from './hosts.tsx'
import { SearchableTools } from './searchable-tools.tsx'
import { useToolHealth } from './use-tool-health.ts'

export function HttpTools({ connector, create }: { connector: HttpConnector; create: ReactNode }) {
  const { tools } = connector
  const { hosts, healthOf } = useToolHealth(connector.id)
  return (
    <Stack>
      <Warnings warnings={connector.warnings} />
      {tools.length === 0 ? (
        <Empty
          purpose="A tool is one API call that the agent may make."
          example="get_order: GET /orders/{id}"
          action={create}
        />
      ) : (
        <>
          <Group justify="space-between" align="flex-start">
            <Facts
              of={{
                Address: <Code fz={13}>{connector.baseUrl}</Code>,
                Authentication: authLabels[connector.authType].label,
                'Hosts, last 48 hours': hosts.length > 0 ? <Hosts hosts={hosts} /> : null,
              }}
            />
            {create}
          </Group>
          <SearchableTools tools={tools}>
            {(shown) => (
              <DataTable
                label="Tools"
                rows={shown}
                stepwise
                columns={[...columns, ...healthColumns(healthOf)]}
                // What fails comes first.
                trouble={({ id }) => shareOfErrors(healthOf.get(id)) ?? 0}
                rowHref={(tool) => `/connectors/${connector.id}/tools/${tool.id}`}
                rowName={({ name }) => name}
                bulk={(rows, clear) => <BulkActions connectorId={connector.id} tools={rows} onDone={clear} />}
              />
            )}
          </SearchableTools>
          <Text size="xs" c="dimmed">
            Open a tool to try it. The agent can use these tools in every channel and webhook that has no
            connector list of its own: mention @bellhop in a channel to see.
          </Text>
        </>
      )}
    </Stack>
  )
}

const columns: Column<Tool>[] = [
  { name: 'Tool', grow: 'little', sort: ({ name }) => name, cell: (tool) => tool.name },
  {
    name: 'Capability',
    sort: ({ capability }) => capabilityOrder.indexOf(capability),
    cell: ({ capability, permission }) => (
      <Group gap={6} wrap="nowrap">
        <CapabilityBadge capability={capability} />
        {permission !== defaultPermission[capability] && (
          <Text span size="xs" c="dimmed">
            {permissionLabels[permission]}
          </Text>
        )}
      </Group>
    ),
  },
  {
    name: 'Request',
    narrow: 'wide-only',
    cell: (tool) => (
      <Group gap={6} wrap="nowrap">
        {tool.method && <MethodBadge method={tool.method} />}
        <Text span size="xs" ff="monospace" truncate>
          {tool.path}
        </Text>
      </Group>
    ),
  },
  {
    name: 'Description',
    grow: true,
    // The agent chooses by it.
    narrow: 'below',
    cell: (tool) => (
      <Text span size="sm" c="dimmed">
        {tool.description}
      </Text>
    ),
  },
]

type BulkProps = { connectorId: string; tools: Tool[]; onDone: () => void }

function BulkActions({ connectorId, tools, onDone }: BulkProps) {
  const admin = useHasRole('admin')
  const path = `/connectors/${connectorId}`
  const options = { what: 'tool', changes: [path] }
  const set = (permission: 'off' | null) => (tool: Tool) =>
    call('PATCH', `${path}/tools/${tool.id}`, { permission })
  // Null returns a tool to what its capability asks for.
  const enable = useBulk(set(null), { done: 'Enabled', ...options })
  const disable = useBulk(set('off'), { done: 'Turned off', ...options })
  const off = tools.filter(({ permission }) => permission === 'off')
  const on = tools.filter(({ permission }) => permission !== 'off')
  return (
    <>
      <BulkButton verb="Enable" rows={admin ? off : []} action={enable} onDone={onDone} />
      <BulkButton verb="Turn off" rows={on} action={disable} onDone={onDone} />
    </>
  )
}
